"""The card of an emulated Raspberry Pi: Debian for arm64, as an owner first meets it.

It holds Debian with systemd, a shell server, and the owner of `typed.py`; nothing of ours. It is
made once for each release and recipe, and kept in the user's cache. A machine has a
copy of its own.

Packages are installed by this machine's kernel with the processor's instructions emulated, which is
several times faster than inside an emulated machine. So the table's are, too (`with_table`): the
installer runs as on a Pi whose systemd is not up yet. In the machine it is typed again.

Raspberry Pi OS itself cannot be had here. It is Debian with another kernel, `raspi-config` and a
group `gpio`; what differs is said in docs/emulated-pi.md.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.bare_debian import CERTIFICATES, MOUNTS, PATH
from tests.deploy.typed import OWNER
from tests.emulated_pi import kernel
from tests.emulated_pi.kernel import Kernel

TOOLS = kernel.TOOLS | {
    "fdtput": "device-tree-compiler",
    "qemu-aarch64-static": "qemu-user-static",
    "mke2fs": "e2fsprogs",
    "ssh": "openssh-client",
}
"""Program -> Debian package, of what makes and runs a machine."""

RELEASES = ("bookworm", "trixie")

COMMON = (
    "systemd-sysv", "udev", "dbus", "kmod", "sudo", "openssh-server", "iproute2", "procps",
    "systemd-timesyncd", "python3-venv",
)  # fmt: skip
PACKAGES = (*COMMON, "gcc", "libc6-dev", "python3-dev", "gpiod")
"""What Raspberry Pi OS Lite has as well."""

READY = (*COMMON, "mosquitto")
"""With all that the installer would fetch for a bridge table on a computer without pins."""

LEFT_OUT = "/usr/share/ca-certificates/*"
"""Setting these up takes an emulated processor as long as all other packages together; pip finds
those of this machine in their place."""

CARD_SIZE = "4G"
"""A power of two, as QEMU wants of a card; the file takes what is written."""

MODULES = ("bcm2835", "sdhci-iproc", "mmc_block", "ext4", "crc32c_generic", "phy-generic", "dwc2")
"""Modules without which the root file system cannot be mounted, and the USB host: when it begins
while the services start, its devices are not found in time. udev loads all others."""

BINFMT = Path("/proc/sys/fs/binfmt_misc")
HANDLER = (
    r":qemu-aarch64:M::\x7fELF\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00"
    ":" + r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff" + ":{}:F"
)
"""The kernel's line for programs of arm64 (binfmt-misc.rst): F opens the emulator once and for all,
so that it is found in every folder that is made a root."""

PI = "Raspberry Pi 3 Model B"
MODEL = "sys/firmware/devicetree/base/model"
"""Where the installer looks; the running kernel of a Pi lays its own over it."""

INIT = """\
#!/bin/busybox sh
# Loads what the card needs and goes over to it.
/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs devtmpfs /dev
for module in $(/bin/busybox cat /modules/order); do /bin/busybox insmod /modules/$module; done
until [ -b /dev/mmcblk0 ] || [ -b /dev/mmcblk1 ]; do /bin/busybox sleep 0.1; done
for card in /dev/mmcblk0 /dev/mmcblk1; do
	[ ! -b $card ] || /bin/busybox mount -t ext4 -o noatime $card /root && break
done
/bin/busybox umount /proc /sys
exec /bin/busybox switch_root /root /sbin/init
"""

SETTLE = """
# Which network card an emulated Pi has; a real one has an Ethernet port or radio.
mkdir -p etc/systemd/network etc/systemd/system etc/modules-load.d
printf '[Match]\\nName=usb* eth* en*\\n[Network]\\nDHCP=yes\\n' >etc/systemd/network/wired.network
ln -sf /lib/systemd/system/systemd-networkd.service etc/systemd/system/multi-user.target.wants/
printf 'nameserver 10.0.2.3\\n' >etc/resolv.conf
echo pi >etc/hostname
printf '127.0.0.1 localhost pi\\n' >etc/hosts
: >etc/fstab
# As `raspi-config` switches I2C on.
echo i2c-dev >etc/modules-load.d/i2c.conf
# A Pi's first start makes keys of its own; these are of the recipe.
chroot . useradd --create-home --shell /bin/bash OWNER
chroot . usermod -aG sudo OWNER
echo 'OWNER ALL=(ALL) NOPASSWD: ALL' >etc/sudoers.d/OWNER
for home in root home/OWNER; do
	mkdir -p $home/.ssh
	cp "$KEY.pub" $home/.ssh/authorized_keys
done
chroot . chown -R OWNER: /home/OWNER/.ssh
chmod 700 home/OWNER root/.ssh home/OWNER/.ssh
# Where Debian's pip looks for them; that of Trixie does not even start without.
cp "$CERTIFICATES" etc/ssl/certs/ca-certificates.crt
printf '[global]\\ncert = /etc/ssl/certs/ca-certificates.crt\\nquiet = 2\\n' >etc/pip.conf
printf 'PasswordAuthentication no\\nUseDNS no\\nMaxSessions 40\\n' >etc/ssh/sshd_config.d/test.conf
printf 'APT::Get::Assume-Yes "true";\\nAPT::Install-Recommends "false";\\nquiet "2";\\n' \
	>etc/apt/apt.conf.d/90typed
# No work that comes by itself, hours and days after the start, in the middle of a measurement.
for timer in apt-daily apt-daily-upgrade dpkg-db-backup e2scrub_all fstrim; do
	ln -sf /dev/null etc/systemd/system/$timer.timer
done
"""


@dataclass(frozen=True, slots=True)
class Card(Kernel):
    """What a machine with a root file system starts from."""

    @property
    def root(self) -> Path:
        """The root file system's files, in a tar."""
        return self.folder / "root.tar"

    @property
    def key(self) -> Path:
        """Private key of the owner and of root."""
        return self.folder / "key"


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "topple-table" / "emulated-pi"


def card(release: str, packages: Sequence[str] = PACKAGES) -> Card:
    """The card of a release, made when there is none of this recipe."""
    parts = (packages, LEFT_OUT, CARD_SIZE, MODULES, INIT, SETTLE, OWNER)
    recipe = hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
    kind = release if packages == PACKAGES else f"{release}.ready"
    folder = cache() / f"{kind}-{recipe}"
    if not (folder / "complete").exists():
        for old in cache().glob(f"{kind}-*"):
            if old != folder:
                shutil.rmtree(old)
        folder.mkdir(parents=True, exist_ok=True)
        _make(release, folder, packages)
        (folder / "complete").touch()
    return Card(folder)


def _make(release: str, folder: Path, packages: Iterable[str]) -> None:
    """What takes longest is done first, and not again when the rest could not be finished."""
    packed = folder / "debian.tar"
    if not packed.exists():
        _fetch(release, folder, packed, packages)
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    kernel.do("tar", "-C", str(root), "-xf", str(packed))
    kernel.unpack("linux-image-*.deb", folder, root)
    _settle(folder, root)
    kernel.assemble(folder, root, MODULES, INIT)
    kernel.do("tar", "-C", str(root), "-cf", str(folder / "root.tar"), ".")
    shutil.rmtree(root)
    packed.unlink()


def with_table(
    made: Card, owners: Path, folder: Path, *options: str, is_pi: bool = True
) -> tuple[Path, str]:
    """A card on which the table is installed, and what the installer said.

    Args:
        made: the card.
        owners: what the owner unpacked, a folder `release` with `deploy/` and `dist/`.
        folder: where the file system is to be made; its name is `card.img`.
        options: of the installer.
        is_pi: whether the installer sees a Pi, for whose pins it builds libraries; that takes
            longer than all the rest.
    """
    _run_arm_programs()
    root = folder / "root"
    root.mkdir()
    kernel.do("tar", "-C", str(root), "-xf", str(made.root))
    shutil.copytree(owners, root / "release")
    said = _installed(root, options, PI if is_pi else None)
    kernel.do("mke2fs", "-q", "-t", "ext4", "-d", str(root), str(folder / "card.img"), CARD_SIZE)
    shutil.rmtree(root)
    return folder / "card.img", said


def _installed(root: Path, options: Iterable[str], says_it_is: str | None) -> str:
    """Run the installer in a folder, with this machine's network."""
    names, model = root / "etc/resolv.conf", root / MODEL
    not_yet = root / "usr/sbin/policy-rc.d"
    in_the_machine = names.read_text()
    shutil.copy("/etc/resolv.conf", names)
    not_yet.write_text("#!/bin/sh\nexit 101\n")
    not_yet.chmod(0o755)
    if says_it_is is not None:
        model.parent.mkdir(parents=True)
        model.write_text(says_it_is + "\0")
    enter = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", MOUNTS, str(root)]
    settings = ["env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8"]
    done = subprocess.run(
        [*enter, *settings, "sh", "/release/deploy/install.sh", *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    shutil.rmtree(root / "sys/firmware", ignore_errors=True)
    not_yet.unlink()
    names.write_text(in_the_machine)
    return done.stdout


def _fetch(release: str, folder: Path, packed: Path, packages: Iterable[str]) -> None:
    """Debian with its packages set up, its kernel, and a busybox.

    The kernel is not set up: its scripts would make what is not needed here, for minutes.
    """
    kernel.fetch(release, folder)
    _run_arm_programs()
    (folder / "key").unlink(missing_ok=True)
    kernel.do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key"))
    half = folder / "half.tar"
    kernel.do("mmdebstrap", "--quiet", "--architectures=arm64", "--variant=minbase",
        f"--include={','.join(packages)}", "--dpkgopt=force-unsafe-io",
        f"--dpkgopt=path-exclude={LEFT_OUT}",
        release, str(half))  # fmt: skip
    half.rename(packed)


def _run_arm_programs() -> None:
    """Let the kernel of this machine run programs of the other kind, as `binfmt-support` does."""
    if not (BINFMT / "register").exists():
        kernel.do("mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT))
    if not (BINFMT / "qemu-aarch64").exists():
        (BINFMT / "register").write_text(HANDLER.format(shutil.which("qemu-aarch64-static")))


def _settle(folder: Path, root: Path) -> None:
    given = {"KEY": str(folder / "key"), "CERTIFICATES": CERTIFICATES}
    words = SETTLE.replace("OWNER", OWNER)
    subprocess.run(["sh", "-ec", words], cwd=root, check=True, env=os.environ | given)
