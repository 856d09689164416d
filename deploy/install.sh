#!/bin/sh
# Installs Topple Table as services on Raspberry Pi OS and Debian, Bookworm (12) or Trixie (13).
#
# Run it again to update, to mend, or to change an option: what is right already is left alone, and
# your configuration always is. Each version lies in a folder of its own under /opt/topple-table;
# `current` points to the one in use. A new one is tried first, then switched to, and switched back
# when the services do not come up with it: then files and games are put back as they were, too.
set -eu
# Others read what is installed, whatever the one who installs keeps to himself.
umask 022

# Root may run this in anybody's folder, with anybody's environment: neither may become code. Python
# gets -I (nothing of the current folder), and all is done in / (see `read_options`).
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
# Who only looks (--dry-run) may not look in there, and dpkg would say so at each package.
[ "$(id -u)" = 0 ] || HOME=/nonexistent
for each in $(env | sed -n 's/^\(\(LD_\|PYTHON\|GCONV_\|PERL\|BASH_\)[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$each"; done
for each in ENV CDPATH TMPDIR PIP_CONFIG_FILE PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_PYTHON; do unset "$each"; done

usage() {
	cat <<'USAGE'
usage: sudo sh deploy/install.sh [OPTIONS]

  --dry-run          say what would be done, and do nothing; needs no root
  --wheel FILE       install this wheel (default: the newest in dist/, else one is built from here);
                     the lab's wheel lies beside it
  --wheelhouse DIR   take Python packages from this folder only, in the versions that are locked;
                     no network is needed
  --wiring KIND      bridge (Nano), pi (sensors on this computer's pins), starter (one load cell
                     and a tilt switch on them) or twin (simulated); found out when left out. Only
                     for a new configuration
  --name ID          the table's name in every topic, t1 when left out: lower-case letters, digits
                     and hyphens. Only for a new configuration
  --hub HOST[:PORT]  join this table's broker to the hub of a club; none: leave the club
  --no-broker        leave Mosquitto alone; you have one, and name it in /etc/topple-table/table.toml
  --lab              also install the lab: simulated tables, test bench, fit. A simulated table has it
  --kiosk            also show the scoreboard on this machine's own screen
  --uninstall        take it away again; games, calibration and configuration stay
  --purge            with --uninstall: these too
USAGE
}

# Where things are. The same in systemd/*.service and mosquitto/topple-table.conf.
opt=/opt/topple-table
etc=/etc/topple-table
var=/var/lib/topple-table
# What players asked the pages to keep.
profiles=/var/lib/topple-scoreboard
units=/etc/systemd/system
serial=/dev/serial
command_link=/usr/local/bin/topple-table
rules=/etc/udev/rules.d/70-topple-table.rules
logs=/etc/systemd/journald.conf.d/topple-table.conf
broker_conf=/etc/mosquitto/conf.d/topple-table.conf
broker_acl=/etc/mosquitto/topple-table.acl
broker_passwd=/etc/mosquitto/topple-table.passwd
broker_bridge=/etc/mosquitto/conf.d/topple-table-bridge.conf
broker_unit=$units/mosquitto.service.d/topple-table.conf
# Not in $var, where the table's own user may put what it likes.
backups=/var/backups/topple-table
services="topple-table topple-table-scoreboard"
roles="table controller display homeassistant"
here=$(cd "$(dirname "$0")" && pwd)

dry_run='' wheel='' wheelhouse='' wiring='' name='' hub='' broker=yes kiosk='' lab='' uninstall='' purge=''
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

# ------------------------------------------------------------------------------ words and deeds

say() { echo "topple-table: $*"; }
warn() { echo "topple-table: note: $*" >&2; }
die() {
	echo "topple-table: $*" >&2
	exit 2
}
fail() {
	echo "topple-table: $*${cause-$(likely_cause)}" >&2
	said=yes
	exit 1
}

# What often is behind a failure, and what other programs say of it hides it: no room, or a clock
# that is behind, for which no certificate is valid yet.
likely_cause() {
	for place in "$opt" "$var" "$etc" "$work"; do
		[ "$(room_kb "$place")" -ge 20000 ] || {
			printf '; %s' "the card is full: $(($(room_kb "$place") / 1024)) MB are free where $place is"
			return 0
		}
	done
	! is_clock_behind || printf '; %s' "the clock is behind: it says $(date '+%Y-%m-%d %H:%M')"
}

# room_kb PATH: free where it is, or will be.
room_kb() {
	place_of=$1
	while [ ! -e "$place_of" ]; do place_of=$(dirname "$place_of"); done
	df -Pk "$place_of" | awk 'NR == 2 { print $4 }'
}

# A Pi has no clock of its own: without a network it may be before what was installed already.
is_clock_behind() {
	newest=$(stat -L -c %Y "$here/install.sh" /etc/os-release /var/lib/dpkg/status "$opt"/*/.complete 2>/dev/null |
		sort -n | tail -n 1)
	[ "$(date +%s)" -lt "${newest:-0}" ]
}

# Whatever ends this without a word of ours.
finish() {
	[ "$1" != 1 ] || [ "${said:-}" ] ||
		echo "topple-table: this stopped half-way, by what is said above$(likely_cause); put that right, and run it again" >&2
	rm -rf "$work"
}

# Does something, or says that it would.
run() {
	if [ "$dry_run" ]; then echo "  would run: $*"; else "$@"; fi
}

# put FILE DESTINATION MODE [OWNER]: in place and complete, or not at all. Sets $changed when it
# was not there already, with these rights.
changed=''
put() {
	if cmp -s "$1" "$2" && [ "$(stat -c "0%a %U" "$2")" = "$3 ${4:-root}" ]; then return 0; fi
	changed=yes
	if [ "$dry_run" ]; then
		echo "  would write: $2"
		return 0
	fi
	remember "$2"
	mkdir -p "$(dirname "$2")"
	install -m "$3" -o "${4:-root}" -g "${4:-root}" "$1" "$2.new"
	sync "$2.new"
	mv -f "$2.new" "$2"
	say "wrote $2"
}

# guard PATH MODE OWNER: what is there already, with owner and rights that it was made with.
guard() {
	if [ ! -e "$1" ] || [ "$(stat -L -c "0%a %U" "$1")" = "$2 $3" ]; then return 0; fi
	run chown "$3:$3" "$1"
	run chmod "$2" "$1"
	[ "$dry_run" ] || say "gave $1 the owner $3 and the rights $2 again"
}

# take_away FILE: what `put` has put.
take_away() {
	if [ ! -e "$1" ]; then return 0; fi
	changed=yes
	[ "$dry_run" ] || remember "$1"
	run rm "$1"
}

# Keeps what stands in a place, until it is known that the new version stays up.
remember() {
	kept=$work/before$1
	if [ -e "$kept" ] || [ -e "$kept.none" ]; then return 0; fi
	mkdir -p "$(dirname "$kept")"
	if [ -e "$1" ]; then cp -p "$1" "$kept"; else : >"$kept.none"; fi
}

# All that was put and taken away, back to what stood there before this run.
put_back() {
	[ -d "$work/before" ] || return 0
	(cd "$work/before" && find . -type f) | while read -r kept; do
		place=${kept#.}
		case $place in
		*.none) rm -f "${place%.none}" ;;
		*) cp -p "$work/before$place" "$place.new" && mv -f "$place.new" "$place" ;;
		esac
	done
	say "put every file back as it was"
	reload_system
	[ -z "$(find "$work/before" -path '*/mosquitto*' -type f)" ] || ! has_systemd || systemctl restart mosquitto ||
		warn "Mosquitto does not start; see: journalctl -u mosquitto"
}

# The whole text, not one line of it.
is_match() { [ "$(printf '%s\n' "$1" | wc -l)" = 1 ] && printf '%s\n' "$1" | grep -qxE "$2"; }
have() { command -v "$1" >/dev/null 2>&1; }
is_installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
has_systemd() { [ -d /run/systemd/system ]; }
as_table() { setpriv --reuid=topple-table --regid=topple-table --clear-groups "$@"; }
# The second is the same on a Pi; a container can only be given a file there.
model() { cat /proc/device-tree/model /sys/firmware/devicetree/base/model 2>/dev/null | tr '\0' '\n' | head -n 1; }
is_pi() { model | grep -q "Raspberry Pi"; }
# Of the programs, which a kernel of 64 bit may well carry.
is_32_bit() { [ "$(getconf LONG_BIT)" = 32 ]; }

# ------------------------------------------------------------------------------ looking around

read_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		--dry-run) dry_run=yes ;;
		--wheel | --wheelhouse | --wiring | --name | --hub)
			[ $# -ge 2 ] || die "$1 needs a value; see --help"
			case $1 in
			--wheel) wheel=$2 ;;
			--wheelhouse) wheelhouse=$2 ;;
			--wiring) wiring=$2 ;;
			--name) name=$2 ;;
			--hub) hub=$2 ;;
			esac
			shift
			;;
		--no-broker) broker= ;;
		--kiosk) kiosk=yes ;;
		--lab) lab=yes ;;
		--uninstall) uninstall=yes ;;
		--purge) purge=yes ;;
		-h | --help)
			usage
			exit 0
			;;
		*) die "unknown option '$1'; see --help" ;;
		esac
		shift
	done
	case $wiring in
	"" | bridge | pi | starter | twin) ;;
	*) die "--wiring $wiring: it can be bridge, pi, starter or twin" ;;
	esac
	[ -z "$wheel" ] || [ -f "$wheel" ] || die "--wheel $wheel: there is no such file"
	[ -z "$wheel" ] || version_of "$wheel" >/dev/null
	[ -z "$wheelhouse" ] || [ -d "$wheelhouse" ] || die "--wheelhouse $wheelhouse: there is no such folder"
	[ -z "$name" ] || is_match "$name" '[a-z0-9-]{1,32}' ||
		die "--name $name: use 1 to 32 lower-case letters, digits and hyphens"
	[ -z "$hub" ] || is_match "$hub" '[A-Za-z0-9.-]+(:[0-9]{1,5})?' ||
		die "--hub $hub: give HOST or HOST:PORT, or none"
	[ -z "$hub" ] || [ "$broker" ] || die "--hub joins this table's own Mosquitto; leave --no-broker out"
	[ -z "$purge" ] || [ "$uninstall" ] || die "--purge goes with --uninstall only"
	[ -z "$wheel" ] || wheel=$(realpath "$wheel")
	[ -z "$wheelhouse" ] || wheelhouse=$(realpath "$wheelhouse")
	cd /
}

check_machine() {
	now=$(readlink "$opt/current" 2>/dev/null || true)
	# Of ours, whatever became of it; `choose_folder` looks closer.
	[ -z "$now" ] || is_version "${now#"$opt/"}" ||
		die "$opt/current points to $now, which is no version that this has installed.
  A league belongs into /opt/topple-league (docs/league.md); move it there, remove the link, and run this again"
	[ "$dry_run" ] || [ "$(id -u)" = 0 ] || die "this needs root: sudo sh $0 (or look first: --dry-run)"
	have apt-get || die "there is no apt-get here; this installs on Debian and Raspberry Pi OS"
	# shellcheck disable=SC1091
	system=$(. /etc/os-release && echo "$PRETTY_NAME")
	# shellcheck disable=SC1091
	release=$(. /etc/os-release && echo "${VERSION_ID:-}")
	case $release in
	12 | 13) ;;
	*) warn "$system has not been tried; Debian or Raspberry Pi OS 12 and 13 have" ;;
	esac
	[ -z "$dry_run" ] || say "a dry run: what follows would be done, and is not"
	say "on $system, $(uname -m)$(is_pi && printf ', %s' "$(model)")"
	for place in /usr "$opt"; do
		free_kb=$(room_kb "$place")
		[ "$free_kb" -ge 400000 ] || die "only $((free_kb / 1024)) MB are free where $place is, 400 are needed"
	done
	! is_clock_behind || warn "the clock says $(date '+%Y-%m-%d %H:%M'), which is before this was unpacked or installed;
  certificates seem invalid then. Set it: sudo timedatectl set-time 'YEAR-MONTH-DAY HOUR:MINUTE'"
}

# Which table is wired to this machine: what the owner says or has said, else what can be seen of a
# table that was calibrated here, and of which nothing else is left.
find_wiring() {
	[ "$wiring" ] || wiring=$(get_key "$etc/table.toml" source kind 2>/dev/null || true)
	[ -z "$wiring" ] || return 0
	wiring=twin
	[ -s "$var/calibration.json" ] || return 0
	if grep -q '"weight_only": *true' "$var/calibration.json"; then
		wiring=starter
	elif ! is_pi || has_nano; then
		wiring=bridge
	else
		wiring=pi
	fi
	say "a table was calibrated here, and its configuration is gone; taken for --wiring $wiring"
}

# Each serial device once, by the name of its socket, else by that of its chip, which adapters
# without a serial number share (firmware_bridge/ports.py).
serial_devices() {
	for names in by-path by-id; do find "$serial/$names" -type l 2>/dev/null | LC_ALL=C sort; done |
		while read -r device; do echo "$(realpath "$device") $device"; done | awk '!seen[$1]++ { print $2 }'
}

# Whether a Nano greets on one of them, as the table would find it, or has greeted before: a device
# alone may be a printer.
has_nano() {
	[ ! -s "$var/calibration.json.port" ] || return 0
	[ "$(serial_devices)" ] && [ -z "$dry_run" ] &&
		setpriv --reuid=topple-table --regid=topple-table --init-groups timeout 120 \
			"$folder/bin/python" -I -c 'from controller.workshop.firmware import ask; ask("")' 2>/dev/null
}

report_hardware() {
	case $wiring in
	bridge)
		devices=$(serial_devices | tr '\n' ' ')
		port=$(get_key "$etc/table.toml" source port 2>/dev/null || true)
		if [ "$port" ] && [ ! -e "$port" ]; then
			warn "there is no $port, which [source] of $etc/table.toml names; ${devices:+there is: }${devices:-no serial device is plugged in}"
		elif [ "$devices" ]; then
			say "serial devices are there: $devices"
			[ "$port" ] || say "the table takes the one on which its Nano greets; to choose, set port in [source] of $etc/table.toml"
		else
			warn "no serial device is plugged in; the table will wait for the Nano"
		fi
		;;
	pi | starter)
		[ "$wiring" = starter ] || [ -e /dev/i2c-1 ] || switch_i2c_on
		[ -e /dev/gpiochip0 ] || warn "this machine has no pins (/dev/gpiochip0); --wiring $wiring needs them"
		;;
	esac
	# It takes CH340 chips for braille displays.
	if is_installed brltty; then warn "brltty is installed and may take the Nano's port: apt-get remove brltty"; fi
}

switch_i2c_on() {
	if have raspi-config; then
		say "switching I2C on, for the inertial sensor"
		run raspi-config nonint do_i2c 0
	else
		warn "there is no /dev/i2c-1; switch I2C on in /boot/firmware/config.txt: dtparam=i2c_arm=on"
	fi
}

# ------------------------------------------------------------------------------ what it needs

install_packages() {
	needed="python3 python3-venv"
	[ -z "$broker" ] || needed="$needed mosquitto"
	# cage does not start without Xwayland, which it only recommends.
	[ -z "$kiosk" ] || needed="$needed cage xwayland chromium fonts-dejavu-core"
	# What builds the packages that have no wheel for this machine (docs/dependencies.md).
	if is_pi || is_32_bit; then needed="$needed gcc libc6-dev python3-dev"; fi
	if is_pi; then needed="$needed swig"; fi
	if is_32_bit; then needed="$needed libffi-dev pkg-config cmake ninja-build python3-numpy"; fi
	missing=''
	for package in $needed; do is_installed "$package" || missing="$missing $package"; done
	damaged=$(damaged_packages)
	[ -z "$damaged" ] || say "files of Debian packages were lost or changed: $damaged"
	missing="$missing${damaged:+ $damaged}"
	if [ "$missing" ]; then
		say "installing Debian packages:$missing"
		run env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update ||
			warn "apt-get update failed; trying with the lists that are here"
		# shellcheck disable=SC2086
		run env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
			-o DPkg::Options::=--force-confmiss install --reinstall --no-install-recommends -y $missing >/dev/null ||
			fail "apt-get could not install them; its words are above. Nothing else was changed"
		[ "$dry_run" ] || [ -z "$damaged" ] || [ -z "$(damaged_packages)" ] ||
			fail "apt-get did not bring back the files of $(damaged_packages); see: dpkg --verify"
	fi
	[ "$dry_run" ] && ! have python3 ||
		python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "$(python3 --version) is too old, 3.11 or newer is needed"
}

# Those that the table runs on and of which programs or libraries are not as they came. Of their
# settings only one that is gone counts: what is in it is the owner's affair.
damaged_packages() {
	for package in $needed $(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' 'libpython3*' 'python3*' |
		sed -nE 's/^((lib)?python3(\.[0-9]+)?(-minimal|-stdlib|-venv|-pip-whl|-setuptools-whl)?) installed$/\1/p'); do
		if is_installed "$package" && dpkg --verify "$package" |
			grep -qE '^missing .* /(etc/mosquitto|(usr/)?(s?bin|lib)|usr/share/python)|^[^ ]*5[^ ]* +/(usr/)?(s?bin|lib)'; then echo "$package"; fi
	done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# user NAME: without password, home or shell. Its group may have outlived an earlier one.
user() {
	id "$1" >/dev/null 2>&1 && return 0
	its_group=--user-group
	! getent group "$1" >/dev/null || its_group=--gid=$1
	run useradd --system "$its_group" --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
}

make_users() {
	# Debian has no gpio group, and i2c only with i2c-tools; the service wants to be in both.
	for group in dialout gpio i2c; do
		getent group "$group" >/dev/null || run groupadd --system "$group"
	done
	user topple-table
	for group in dialout gpio i2c; do
		id -nG topple-table 2>/dev/null | grep -qw "$group" || run usermod -aG "$group" topple-table
	done
	user topple-scoreboard
	[ -z "$kiosk" ] || user topple-kiosk
	[ -d "$var" ] || run install -d -m 0750 -o topple-table -g topple-table "$var"
	[ -d "$etc/secrets" ] || run install -d -m 0755 "$etc" "$etc/secrets"
	for place in "$opt" "$etc" "$etc/secrets"; do guard "$place" 0755 root; done
	own "$var" 0750 topple-table
	own "$profiles" 0700 topple-scoreboard
}

# own FOLDER MODE USER: the folder and all that is in it is the user's, who may read and write it.
# No link in it is followed: what it leads to is not the user's. Rights are given by the user itself.
own() {
	if [ "$dry_run" ] || [ ! -d "$1" ]; then return 0; fi
	if [ -z "$(find "$1/" ! -user "$3" -print -quit)" ] && guard "$1" "$2" "$3" && can_use "$3" "$1"; then return 0; fi
	chown -RhP "$3:$3" "$1/"
	guard "$1" "$2" "$3"
	setpriv --reuid="$3" --regid="$3" --clear-groups chmod -R u+rwX "$1"
	say "gave $1 and what is in it back to $3"
}

can_use() {
	[ -z "$(setpriv --reuid="$1" --regid="$1" --clear-groups \
		find "$2/" ! -type l \( ! -readable -o ! -writable \) -print -quit 2>&1)" ]
}

# ------------------------------------------------------------------------------ the program

# The shape of a version, which is also the name of its folder: 1.0.0, 1.1rc2, 1.0.0+0a1b2c3d.
is_version() {
	case $1 in
	*[!0-9A-Za-z.+]* | *..*) return 1 ;;
	[0-9]*) return 0 ;;
	*) return 1 ;;
	esac
}

# version_of WHEEL: as its name says.
version_of() {
	found=$(basename "$1" -py3-none-any.whl)
	case $(basename "$1") in
	topple_table-*-py3-none-any.whl) found=${found#topple_table-} ;;
	*) found='' ;;
	esac
	is_version "$found" ||
		die "$1: this is no wheel of a table; its name is topple_table-VERSION-py3-none-any.whl"
	echo "$found"
}

# Whether a folder is a version that this has installed, or has begun to.
is_ours() {
	is_version "${1#"$opt/"}" && [ ! -L "$1" ] && { [ -f "$1/.complete" ] || [ -f "$1/.begun" ]; }
}

# The only way in which a folder goes away that is not named in this file.
remove_version() {
	is_ours "$1" || die "$1 was not made by this installer, which leaves it alone; move it away"
	run rm -rf "$1"
}

find_wheel() {
	[ "$wheel" ] || wheel=$(find "$here/../dist" -name 'topple_table-*.whl' 2>/dev/null | sort -V | tail -n 1)
	[ "$wheel" ] || build_wheel
	if [ "$wheel" ]; then
		version=$(version_of "$wheel")
		fingerprint=$(sha256sum "$wheel" | cut -d' ' -f1)
	else
		version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../pyproject.toml") fingerprint=unknown
	fi
	is_version "$version" || die "version $version in pyproject.toml cannot be"
	# It tries the table in any case, and stays where it is wanted.
	lab_wheel=$(dirname "$wheel")/topple_table_lab-$version-py3-none-any.whl
	[ -z "$wheel" ] || [ -f "$lab_wheel" ] || die "$lab_wheel is missing; it is part of every release"
}

build_wheel() {
	[ -f "$here/../pyproject.toml" ] || die "no wheel is here; name one: --wheel FILE"
	say "building a wheel from $(cd "$here/.." && pwd)"
	[ -z "$dry_run" ] || return 0
	make_build_tools || fail "what builds wheels could not be installed; the words of pip are above"
	build --no-deps --wheel-dir "$work" "$here/.." "$here/../lab" || fail "the wheels could not be built; the words are above"
	wheel=$(find "$work" -maxdepth 1 -name 'topple_table-*.whl')
}

# What builds packages, in versions and with hashes that are locked too; it is thrown away at the end.
make_build_tools() {
	[ ! -d "$work/build" ] || return 0
	python3 -I -m venv "$work/build" &&
		"$work/build/bin/pip" install --require-hashes --no-deps --only-binary=:all: \
			--requirement "$here/requirements-build.lock"
}

# With the tools that are there, not with what pip would fetch for each package, of any version.
# PYPI=1 is for lgpio, whose library Debian does not have: built in, as in the wheels of its makers.
build() { PYPI=1 "$work/build/bin/pip" wheel --use-pep517 --no-build-isolation "$@"; }

# entries yes|no NAME...: of a lock, these packages or all others, with their hashes.
entries() {
	these=$1
	shift
	awk -v these="$these" -v names=" $* " '
		/^[a-z0-9]/ { split($1, name, "=="); wanted = (index(names, " " name[1] " ") > 0) == (these == "yes") }
		wanted'
}

locks() { echo requirements.lock requirements-bridge.lock "$(if is_pi; then echo requirements-pi.lock; fi)"; }

# All that the wheel needs, into the new folder: these versions, these files and no others.
install_locked() {
	for lock in $(locks); do cat "$here/$lock" >>"$work/locked"; done
	if is_32_bit; then
		# It has no wheel there, and hours would go by until a Pi has built it.
		entries no numpy <"$work/locked" >"$work/without-numpy"
		mv "$work/without-numpy" "$work/locked"
		lend python3-numpy
	fi
	bring_locked || no_packages
	into_folder --no-index "$wheel" || no_packages
	PIP_QUIET=0 "$folder/bin/pip" check >"$work/check" ||
		no_packages "deploy/*.lock does not fit this machine: $(cat "$work/check")"
}

# What stands in $work/locked.
bring_locked() {
	if [ "$wheelhouse" ]; then
		# What was built there has hashes of its own.
		sed -n 's/^\([a-z0-9][^ ]*==[^ ]*\).*/\1/p' "$work/locked" >"$work/versions"
		into_folder --no-index --find-links "$wheelhouse" --only-binary=:all: --requirement "$work/versions"
	else
		rm -rf "$work/wheels"
		fetch_locked && into_folder --no-index "$work"/wheels/*.whl
	fi
}

into_folder() { "$folder/bin/pip" install --no-deps "$@"; }

# From the package index as wheels, or built here where a package has none for this machine.
fetch_locked() {
	make_build_tools || return 1
	entries yes cffi pycparser <"$work/locked" >"$work/cffi"
	if is_32_bit && [ -s "$work/cffi" ]; then
		# Two packages want it while they are built.
		"$work/build/bin/pip" install --require-hashes --no-deps --no-build-isolation \
			--requirement "$work/cffi" || return 1
	fi
	build --require-hashes --no-deps --wheel-dir "$work/wheels" --requirement "$work/locked"
}

no_packages() {
	cause=$(likely_cause)
	remove_version "$folder"
	fail "the Python packages could not be installed; ${1:-the words of pip are above}. The version in use was left alone"
}

# lend PACKAGE: what Debian's Python has of it, to an environment that sees nothing else of Debian's.
lend() {
	to=$("$folder/bin/python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
	dpkg-query --listfiles "$1" | sed -n 's|^\(/usr/lib/python3/dist-packages/[^/]*\)$|\1|p' |
		while read -r top; do ln -s "$top" "$to"; done
}

# Every package in the version that is locked, and every file as it was noted when installed; noted in
# RECORD, since from Python 3.12 on the list of files leaves out those that are missing.
every_file='
import base64, csv, hashlib, importlib.metadata, os, pathlib, sys, sysconfig
place = pathlib.Path(sysconfig.get_path("purelib"))
try:
    os.listdir(place)
except OSError as problem:
    there = ", ".join(found.name for found in pathlib.Path(sys.prefix).glob("lib/python3*"))
    sys.exit(f"{place}: {problem.strerror}" + (there and f"; it was installed for {there}"))
for locked in sys.argv[1:]:
    name, _, version = locked.partition("==")
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"{name} is gone")
    if found != version:
        sys.exit(f"{name} is {found}, not {version}")
for package in importlib.metadata.distributions():
    for name, noted, _ in csv.reader((package.read_text("RECORD") or "").splitlines()):
        if not noted:
            continue
        mode, _, value = noted.partition("=")
        file = package.locate_file(name)
        try:
            found = hashlib.new(mode, file.read_bytes()).digest()
        except OSError as problem:
            sys.exit(f"{file}: {problem.strerror}")
        if base64.urlsafe_b64encode(found).rstrip(b"=").decode() != value:
            sys.exit(f"{file} is not as it was installed")
'

# The folder of this very wheel: /opt/topple-table/VERSION, or VERSION+SUM when another build of
# the same version is there, or a damaged one. Complete when it holds the fingerprint.
choose_folder() {
	beside=$opt/$version+$(echo "$fingerprint" | cut -c1-8)
	folder=$opt/$version
	adopt_current
	if [ "$(readlink "$opt/current" 2>/dev/null)" = "$beside" ] ||
		{ [ -f "$folder/.complete" ] && [ "$(cat "$folder/.complete")" != "$fingerprint" ]; }; then folder=$beside; fi
	# What is only half there may go, unless it is in use.
	if [ "$dry_run" ] || { [ ! -f "$folder/.complete" ] && [ "$(readlink "$opt/current" 2>/dev/null)" != "$folder" ]; } ||
		is_whole; then return 0; fi
	say "version $version in $folder is damaged ($(tail -n 1 "$work/whole")); it is installed anew"
	if [ "$folder" = "$beside" ]; then folder=$opt/$version; else folder=$beside; fi
	if [ -f "$folder/.complete" ] && ! is_whole; then mv "$folder/.complete" "$folder/.begun"; fi
}

# What `current` leads to is ours, though it be damaged; a copy in its place would be in the way.
adopt_current() {
	if [ "$dry_run" ] || [ ! -e "$opt/current" ]; then return 0; fi
	now=$(readlink "$opt/current") || {
		aside=$(mktemp -d "$opt/current.was.XXXX")
		mv "$opt/current" "$aside"
		say "$opt/current is no link any more; what was there lies in $aside"
		return 0
	}
	is_ours "$now" || : >"$now/.begun"
}

# Complete is what was installed once. The system's Python may have changed since, a file be lost,
# cut or closed to the one who runs it, a library that is lent be gone: so it is run, as the service's
# own user, with all that it imports.
is_whole() {
	echo "its mark is gone" >"$work/whole"
	[ "$(cat "$folder/.complete" 2>/dev/null)" = "$fingerprint" ] || return 1
	# shellcheck disable=SC2046
	as_service "$folder/bin/python" -I -c "$every_file" $(locked_names) >"$work/whole" &&
		as_service "$folder/bin/python" -I -m pip check >"$work/whole" &&
		as_service "$folder/bin/topple-table" --version >"$work/whole" &&
		as_service "$folder/bin/python" -I -c 'import controller.app.run, pages.server' >"$work/whole"
}

# NAME==VERSION of all that is locked; a lent package has the version that Debian has.
locked_names() {
	for lock in $(locks); do sed -n 's/^\([a-z0-9][^ ]*==[^ ]*\).*/\1/p' "$here/$lock"; done |
		if is_32_bit; then grep -v '^numpy=='; else cat; fi
}

install_program() {
	if [ -f "$folder/.complete" ]; then
		say "version $version is installed already"
		return 0
	fi
	say "installing version $version into $folder"
	if [ "$dry_run" ]; then
		echo "  would make: a virtual environment with ${wheel:-that wheel} and the packages of $(locks | sed 's/ *$//; s/ /, /g')"
		echo "  would try: a simulated game with it, before anything depends on it"
		return 0
	fi
	# What a broken-off run left behind.
	[ ! -e "$folder" ] || remove_version "$folder"
	mkdir -p "$folder"
	: >"$folder/.begun"
	python3 -I -m venv "$folder" || no_packages "no environment for them could be made"
	install_locked
	try_program
	if is_pi; then try_libraries; fi
	# All the rest is on the card before the mark is.
	sync
	echo "$fingerprint" >"$folder/.complete.new"
	mv "$folder/.complete.new" "$folder/.complete"
}

as_service() { (cd / && as_table timeout 600 "$@" 2>&1); }

# A simulated game, detected and scored, on this very machine, before anything depends on it: of 35
# seconds with a topple in it, since the smallest computers play hardly faster than people do. The
# lab, which plays it, is there for that long only.
try_program() {
	python3 -I -m zipfile --extract "$lab_wheel" "$folder/trial"
	score=$(as_service env PYTHONPATH="$folder/trial" "$folder/bin/topple-table" demo --headless --seed 17 --target 3 | tail -n 1)
	rm -rf "$folder/trial"
	case $score in
	"Final score:"*) say "tried with a simulated game. $score" ;;
	*)
		cause=$(likely_cause)
		remove_version "$folder"
		fail "the new version cannot play a simulated game here ($score). The version in use was left alone"
		;;
	esac
}

# A simulated table needs the lab, and others have it only when asked for.
is_lab_wanted() {
	[ -z "$lab" ] || return 0
	kind=$wiring
	[ ! -f "$etc/table.toml" ] || kind=$(get_key "$etc/table.toml" source kind)
	[ "${kind:-twin}" = twin ]
}

# By these its simulated pins are read; a Pi has them for its own.
lab_packages="gpiozero colorzero smbus2 setuptools"

lab_there='
import importlib.metadata, lab.commands, lab.diagnosing
importlib.metadata.version("topple-table-lab")
'
install_lab() {
	is_lab_wanted || return 0
	if [ "$dry_run" ]; then
		echo "  would install: the lab, for simulated tables"
		return 0
	fi
	lab_sum=$(sha256sum "$lab_wheel" | cut -d' ' -f1)
	if [ "$(cat "$folder/.lab" 2>/dev/null)" = "$lab_sum" ] &&
		as_service "$folder/bin/python" -I -c "$lab_there" >"$work/whole"; then return 0; fi
	if ! is_pi; then
		# shellcheck disable=SC2086
		entries yes $lab_packages <"$here/requirements-pi.lock" >"$work/locked"
		bring_locked || fail "what the lab needs could not be installed; the words of pip are above"
	fi
	into_folder --no-index --force-reinstall "$lab_wheel" ||
		fail "the lab could not be installed; the words of pip are above"
	echo "$lab_sum" >"$folder/.lab"
	say "installed the lab, for simulated tables"
}

# What the pins need, imported by the service's user; a missing one would be noticed only when wired.
try_libraries() {
	as_service "$folder/bin/python" -P -m hw.drivers.libraries pi >"$work/libraries" || {
		remove_version "$folder"
		fail "libraries for the pins do not work here ($(tail -n 1 "$work/libraries")). The version in use was left alone"
	}
	say "the libraries for the pins are all there"
}

# ------------------------------------------------------------------------------ how it is set up

# set_key FILE SECTION KEY VALUE: in the first place where a TOML section has the key.
set_key() {
	awk -v section="[$2]" -v key="$3" -v value="$4" '
		/^\[/ { inside = ($1 == section) }
		inside && $1 == key && $2 == "=" {
			comment = index($0, "#") ? "  " substr($0, index($0, "#")) : ""
			$0 = key " = " value comment
			inside = 0
		}
		{ print }' "$1" >"$1.set"
	mv "$1.set" "$1"
}

# get_key FILE SECTION KEY: its value, without quotation marks.
get_key() {
	awk -v section="[$2]" -v key="$3" '
		/^\[/ { inside = ($1 == section) }
		inside && $1 == key && $2 == "=" { gsub(/"/, "", $3); print $3; exit }' "$1"
}

# Whether the configuration is of a real table of which nobody has said yet what its counts weigh.
is_uncalibrated() {
	[ -f "$etc/table.toml" ] || return 1
	case $(get_key "$etc/table.toml" source kind) in
	bridge | pi) [ ! -s "$(get_key "$etc/table.toml" source calibration)" ] ;;
	*) return 1 ;;
	esac
}

# The pins of schematics/starter/config.toml.
wire_starter() {
	set_key "$1" source.pi hx711_data '[5]'
	set_key "$1" source.pi hx711_clock '[12]'
	no_panel "$1"
}

no_panel() {
	set_key "$1" source.pi lights '[]'
	for unfitted in pass_button undo_button bumped_button buzzer; do
		set_key "$1" source.pi "$unfitted" 0
	done
}

write_config() {
	[ ! -e "$etc/table.toml" ] || [ -s "$etc/table.toml" ] ||
		warn "$etc/table.toml was empty and is written anew; look whether it is as you want it"
	if [ -s "$etc/table.toml" ]; then
		[ "$dry_run" ] || as_table test -r "$etc/table.toml" || guard "$etc/table.toml" 0644 root
		called=$(get_key "$etc/table.toml" table id)
		[ -z "$name" ] || [ "$name" = "$called" ] ||
			die "this table is called $called already; to change that, set id in [table] of $etc/table.toml, and run this again without --name"
		say "your configuration stays as it is: $etc/table.toml"
		return 0
	fi
	config=$work/table.toml
	cp "$here/topple-table.toml" "$config"
	[ -z "$name" ] || set_key "$config" table id "\"$name\""
	set_key "$config" table journal "\"$var/table.journal\""
	# The pages have a service of their own.
	set_key "$config" web enabled false
	if [ "$broker" ]; then
		set_key "$config" broker kind '"mqtt"'
		# The listener that guests do not reach; see mosquitto/topple-table.conf.
		set_key "$config" broker port 1884
		set_key "$config" broker user '"table"'
		set_key "$config" broker password_file "\"$etc/secrets/table\""
	fi
	kind=$wiring
	if [ "$wiring" = starter ]; then
		kind=pi
		wire_starter "$config"
	fi
	# A Nano may hang on a computer that has no pins for buttons.
	if [ "$kind" = bridge ] && ! is_pi; then no_panel "$config"; fi
	set_key "$config" source kind "\"$kind\""
	[ "$wiring" = twin ] || set_key "$config" source calibration "\"$var/calibration.json\""
	put "$config" "$etc/table.toml" 0644
}

# The tables of a club need different names, or they would overwrite each other.
check_hub() {
	[ "$hub" ] && [ "$hub" != none ] || return 0
	called=${name:-$(get_key "$etc/table.toml" table id 2>/dev/null || true)}
	case ${called:-t1} in
	t1) die "a table in a club needs a name of its own: give it one with --name" ;;
	hall | league | host) die "no table of a club can be called $called: its hub has a user of that name" ;;
	esac
	roles_here="$roles hub"
}

# What the table says goes on to the hub; see the file.
write_bridge() {
	case $hub in
	"") return 0 ;;
	none)
		take_away "$broker_bridge"
		return 0
		;;
	*:*) address=$hub ;;
	*) address=$hub:1883 ;;
	esac
	# The password is read by awk itself: on a command line everybody could read it.
	[ "$dry_run" ] || (umask 077 && awk -v hub="$address" -v table="$called" -v secret="$etc/secrets/hub" '
		BEGIN { getline password <secret; ("sha256sum <" secret) | getline ending; ending = substr(ending, 1, 12) }
		{ gsub(/TABLE/, table); gsub(/ENDING/, ending) }
		/^address HUB$/ { $2 = hub }
		/^remote_password PASSWORD$/ { $2 = password }
		{ print }' "$here/mosquitto/bridge.conf" >"$work/bridge")
	put "$work/bridge" "$broker_bridge" 0600 mosquitto
}

# One password for each role, made here and told to nobody.
make_secrets() {
	for role in ${roles_here:-$roles}; do
		if [ -s "$etc/secrets/$role" ]; then
			guard "$etc/secrets/$role" 0600 "$(owner_of "$role")"
			continue
		fi
		(umask 077 && head -c 18 /dev/urandom | base64 | tr '+/' '-_' >"$work/secret")
		put "$work/secret" "$etc/secrets/$role" 0600 "$(owner_of "$role")"
		new_secrets=yes
	done
}

# Who may read a role's password; the others are for you to copy to displays and Home Assistant.
owner_of() {
	case $1 in
	table) echo topple-table ;;
	controller) echo topple-scoreboard ;;
	*) echo root ;;
	esac
}

# Two set-ups in one broker would each break the other.
check_broker() {
	other=$(grep -lsE '^[[:space:]]*(listener|port|allow_anonymous|password_file|acl_file)[[:space:]]' \
		/etc/mosquitto/mosquitto.conf /etc/mosquitto/conf.d/*.conf | grep -v "^$broker_conf$" || true)
	[ -z "$other" ] || die "Mosquitto has a set-up of its own ($(echo "$other" | tr '\n' ' ')), which stays as it is.
  Give it the users of deploy/mosquitto/topple-table.acl, and run this with --no-broker"
}

setup_broker() {
	changed=''
	put "$here/mosquitto/topple-table.acl" "$broker_acl" 0600 mosquitto
	put "$here/mosquitto/topple-table.conf" "$broker_conf" 0644
	put "$here/mosquitto/hardening.conf" "$broker_unit" 0644
	write_bridge
	check_listener
	if [ "$dry_run" ] || ! are_passwords_known; then put_passwords; fi
	guard "$broker_passwd" 0600 mosquitto
	if [ "$changed" ] || { has_systemd && ! systemctl --quiet is-active mosquitto; }; then restart_broker; fi
}

# Whether the broker has these very passwords; which file is the newer one depends on the clock.
known_passwords='
import base64, hashlib, pathlib, sys
file, secrets, *roles = sys.argv[1:]
known = dict(line.split(":", 1) for line in pathlib.Path(file).read_text().splitlines())
for role in roles:
    _, kind, rounds, salt, kept = known[role].split("$")
    words = pathlib.Path(secrets, role).read_text().splitlines()[0].encode()
    made = hashlib.pbkdf2_hmac("sha512", words, base64.b64decode(salt), int(rounds))
    if kind != "7" or made != base64.b64decode(kept):
        sys.exit(1)
'
are_passwords_known() {
	# shellcheck disable=SC2086
	[ -z "${new_secrets:-}" ] &&
		python3 -I -c "$known_passwords" "$broker_passwd" "$etc/secrets" $roles 2>/dev/null
}

# What is configured proves nothing: another file may overrule it, another version read it otherwise.
check_rights() {
	if [ "$dry_run" ] || ! has_systemd; then return 0; fi
	"$folder/bin/topple-table" doctor --config "$etc/table.toml" --only rights || {
		[ -z "$before" ] || put_back
		fail "the running broker does not do what its rules say (above); nothing was switched to version $version"
	}
}

# Configurations of before have no place of their own at the broker.
check_listener() {
	[ -f "$etc/table.toml" ] || return 0
	case $(get_key "$etc/table.toml" broker host):$(get_key "$etc/table.toml" broker port) in
	127.0.0.1:1883) warn "your table shares its listener with guests, who can take all its places;
  for one of its own set port = 1884 in [broker] of $etc/table.toml, and run this again" ;;
	esac
}

put_passwords() {
	if [ "$dry_run" ]; then
		echo "  would write: $broker_passwd"
		return 0
	fi
	(umask 077 && for role in $roles; do echo "$role:$(head -n 1 "$etc/secrets/$role")"; done >"$work/passwd")
	# In place, so that no password stands on a command line, where everybody can read it.
	mosquitto_passwd -U "$work/passwd"
	put "$work/passwd" "$broker_passwd" 0600 mosquitto
}

restart_broker() {
	if has_systemd; then
		run systemctl daemon-reload
		run systemctl enable --quiet mosquitto
		run systemctl restart mosquitto || {
			[ -z "$before" ] || put_back
			fail "Mosquitto does not start; see: journalctl -u mosquitto"
		}
	fi
}

# The units and rules that belong to a version.
put_system_files() {
	changed=''
	for service in $services; do
		unit=$here/systemd/$service.service
		# A broker of your own has one listener.
		[ "$broker" ] || [ "$dry_run" ] || {
			sed 's/127\.0\.0\.1:1884/127.0.0.1:1883/' "$unit" >"$work/$service.service"
			unit=$work/$service.service
		}
		put "$unit" "$units/$service.service" 0644
	done
	[ -z "$kiosk" ] || put "$here/systemd/topple-table-kiosk.service" "$units/topple-table-kiosk.service" 0644
	put "$here/udev/70-topple-table.rules" "$rules" 0644
	if is_pi; then put "$here/journald/topple-table.conf" "$logs" 0644; fi
	[ -z "$changed" ] || reload_system
}

reload_system() {
	if has_systemd; then
		run systemctl daemon-reload
	fi
	# A container has no udev of its own.
	if [ -S /run/udev/control ]; then
		run udevadm control --reload
		run udevadm trigger --subsystem-match=tty --subsystem-match=gpio --subsystem-match=i2c-dev
	fi
}

# ------------------------------------------------------------------------------ switching over

# point FOLDER: `current` to it, in one step that is whole even when the plug is pulled.
point() {
	run ln -sfn "$1" "$opt/current.new"
	run mv -T "$opt/current.new" "$opt/current"
}

# The one in use, to come back to; empty when this very one is.
find_before() {
	before=$(readlink "$opt/current" 2>/dev/null || true)
	if [ "$before" = "$folder" ] || [ ! -d "$before" ]; then before=''; fi
}

# The owner's configuration, read by the new version as the service's user, before anything is
# changed. What fails for another reason is not the configuration's fault.
read_config='
import sys
from controller.common.config import load
from controller.common.errors import BadConfig
try:
    load(sys.argv[1])
except BadConfig as error:
    sys.exit(f"BadConfig {error}")
'
check_config() {
	if [ "$dry_run" ] || as_service "$folder/bin/python" -I -c "$read_config" "$etc/table.toml" >"$work/config"; then
		return 0
	fi
	words=$(tail -n 1 "$work/config")
	stays=${before:+; version ${before##*/} stays in use}
	case $words in
	"BadConfig "*) words=${words#BadConfig } ;;
	*) fail "version $version does not run as the user topple-table ($words)$stays" ;;
	esac
	! is_older_than_before ||
		fail "version $version is older than ${before##*/}, for which this configuration was written: $words$stays"
	fail "version $version cannot work with this configuration: $words$stays"
}

is_older_than_before() {
	# Without the ending of another build.
	earlier=${before##*/} earlier=${earlier%%+*}
	[ "$before" ] && [ "$earlier" != "${version%%+*}" ] &&
		[ "$(printf '%s\n' "${version%%+*}" "$earlier" | sort -V | tail -n 1)" = "$earlier" ]
}

switch_over() {
	[ -z "$before" ] || keep_games || {
		put_back
		start_services || true
		fail "the games could not be copied to $backups, which needs room; version ${before##*/} stays in use"
	}
	[ "$(readlink "$opt/current" 2>/dev/null)" = "$folder" ] || point "$folder"
	put_command
	if ! has_systemd; then
		warn "systemd does not run here; start the table by hand: topple-table run --config $etc/table.toml"
	elif ! start_services; then
		roll_back
	fi
	remove_old_versions
}

# What people type; a program of that name that is not ours stays.
put_command() {
	if [ -L "$command_link" ] || [ ! -e "$command_link" ]; then
		[ "$(readlink "$command_link" 2>/dev/null)" = "$opt/current/bin/topple-table" ] ||
			run ln -sfn "$opt/current/bin/topple-table" "$command_link"
	else
		warn "$command_link is a program of your own and stays; ours is $opt/current/bin/topple-table"
	fi
}

# Where the games are, as the new version reads the configuration; nothing if nowhere.
find_journal() {
	"$folder/bin/python" -I -c 'import sys; from controller.common.config import load; print(load(sys.argv[1]).table.journal)' \
		"$etc/table.toml"
}

# A new version may write them in a way that the one before cannot read. The table's own user reads
# and writes them, since root would follow a link in a folder of somebody else.
keep_games() {
	if [ "$dry_run" ]; then
		echo "  would write: $backups/games.tar, to come back to"
		return 0
	fi
	journal=$(find_journal) || return 1
	[ "$journal" ] && [ -e "$journal" ] || return 0
	! has_systemd || systemctl stop topple-table
	mkdir -p "$backups" && chmod 0700 "$backups"
	# shellcheck disable=SC2016
	(umask 077 && as_table sh -ec 'cd "$(dirname "$1")"; tar -cf - "$(basename "$1")"*' sh "$journal" \
		>"$backups/games.tar.new") || return 1
	sync "$backups/games.tar.new" && mv "$backups/games.tar.new" "$backups/games.tar" && games_kept=yes
}

put_games_back() {
	[ "${games_kept:-}" ] || return 0
	# shellcheck disable=SC2016
	as_table sh -ec '
		cd "$(dirname "$1")"
		rm -rf taken-back
		mkdir taken-back
		mv "$(basename "$1")"* taken-back
		tar -xf -' sh "$journal" <"$backups/games.tar" ||
		fail "the games could not be put back; they are in $backups/games.tar"
	say "put the games back; what version $version made of them is in $(dirname "$journal")/taken-back"
}

# A service that is started has said READY; one that stays up for ten seconds stays up. A table that
# is not calibrated cannot run yet; its pages can.
start_services() {
	if is_uncalibrated; then
		services=topple-table-scoreboard
		run systemctl disable --quiet --now topple-table
	fi
	wanted="$services${kiosk:+ topple-table-kiosk}"
	# shellcheck disable=SC2086
	run systemctl enable --quiet $wanted
	# shellcheck disable=SC2086
	run systemctl restart $wanted || return 1
	# What systemd counts until now, and `doctor` notes, were starts of a program that was broken.
	# shellcheck disable=SC2086
	run systemctl reset-failed $wanted
	[ -z "$dry_run" ] || return 0
	sleep "${TOPPLE_SETTLE_S:-10}"
	for service in $services; do
		systemctl --quiet is-active "$service" || return 1
	done
}

roll_back() {
	say "the services do not stay up with version $version; their last words:"
	for service in $services; do journalctl --no-pager --lines=5 --output=cat --unit="$service" 2>/dev/null || true; done
	[ "$before" ] || fail "there is no earlier version to go back to; sudo topple-table doctor says what to do"
	# shellcheck disable=SC2086
	systemctl stop $wanted || true
	point "$before"
	put_back
	put_games_back
	remove_version "$folder"
	start_services || fail "went back to version ${before##*/}, which does not start either; see: sudo topple-table doctor"
	fail "went back to version ${before##*/}, which runs"
}

# The one in use and the one before it stay, and whatever else lies there; a link that was half-way to
# its place leads to a version that is gone, or will be.
remove_old_versions() {
	[ ! -L "$opt/current.new" ] || run rm "$opt/current.new"
	for old in "$opt"/*; do
		case $old in
		"$folder" | "$before") ;;
		*) ! is_ours "$old" || remove_version "$old" ;;
		esac
	done
}

# ------------------------------------------------------------------------------ the two ways

last_words() {
	if [ "$dry_run" ]; then
		say "that would be all; nothing was done"
		return 0
	fi
	say "done. Pages: http://$(uname -n).local:8080/   Health: sudo topple-table doctor"
	say "to see the PIN for phones in a browser on this machine: sudo topple-table screen"
	say "passwords for displays and Home Assistant: sudo cat $etc/secrets/display (or homeassistant)"
	[ -z "${roles_here:-}" ] ||
		say "tell the hub: sudo mosquitto_passwd /etc/mosquitto/topple-hub.passwd $called, with the password of: sudo cat $etc/secrets/hub"
	if is_uncalibrated; then
		say "the table is not calibrated yet; it starts by itself when it is:"
		echo "  sudo topple-table calibrate --coin 4x2eur"
	fi
	[ "$wiring" != twin ] || [ -z "${config:-}" ] ||
		say "it plays a simulated evening until a table is wired and calibrated; then set [source] in $etc/table.toml"
}

install_all() {
	check_machine
	[ -z "$broker" ] || check_broker
	check_hub
	install_packages
	make_users
	find_wheel
	choose_folder
	find_before
	install_program
	find_wiring
	report_hardware
	write_config
	install_lab
	check_config
	new_secrets=''
	make_secrets
	[ -z "$broker" ] || setup_broker
	[ -z "$broker" ] || check_rights
	put_system_files
	switch_over
	last_words
}

# What the installer did, the other way round; what it did not make stays.
uninstall_all() {
	ours="$services topple-table-kiosk"
	for service in $ours; do
		! has_systemd || [ ! -e "$units/$service.service" ] ||
			run systemctl disable --quiet --now "$service" || true
		remove "$units/$service.service" "$units/multi-user.target.wants/$service.service"
	done
	remove "$rules" "$logs" "$broker_conf" "$broker_acl" "$broker_passwd" "$broker_bridge" "$broker_unit"
	[ ! -d "${broker_unit%/*}" ] || run rmdir --ignore-fail-on-non-empty "${broker_unit%/*}"
	case $(readlink "$command_link") in "$opt"/*) remove "$command_link" ;; esac
	! is_ours "$(readlink "$opt/current")" || remove "$opt/current"
	for old in "$opt"/*; do
		! is_ours "$old" || {
			remove_version "$old"
			say_removed "$old"
		}
	done
	remove_empty "$opt"
	if has_systemd; then
		run systemctl daemon-reload
		if is_installed mosquitto; then run systemctl restart mosquitto || true; fi
	fi
	if [ "$purge" ]; then
		for role in $roles hub; do remove "$etc/secrets/$role"; done
		remove "$etc/table.toml"
		remove_empty "$etc/secrets" "$etc"
		run rm -rf "$var" "$backups" "$profiles"
		for name in topple-table topple-scoreboard topple-kiosk; do
			if id "$name" >/dev/null 2>&1; then run userdel "$name"; fi
		done
		say "games, calibration and configuration are gone too"
	else
		say "kept: $var (games, calibration), $profiles (players' records), $etc (configuration, passwords); --purge removes them"
	fi
	say "Debian packages stay; remove what you no longer want: apt-get autoremove mosquitto"
}

# remove FILE...: those that are there.
remove() {
	for path in "$@"; do
		if [ -e "$path" ] || [ -L "$path" ]; then
			run rm -f "$path"
			say_removed "$path"
		fi
	done
}

say_removed() { [ "$dry_run" ] || say "removed $1"; }

remove_empty() {
	for path in "$@"; do
		[ ! -d "$path" ] || [ "$dry_run" ] || rmdir "$path" 2>/dev/null ||
			say "kept $path: it holds what this has not made ($(find "$path" -mindepth 1 -maxdepth 1 -printf '%f '))"
	done
}

read_options "$@"
work=$(mktemp -d)
trap 'finish $?' EXIT
trap 'exit 130' INT TERM
if [ "$uninstall" ]; then
	[ "$dry_run" ] || [ "$(id -u)" = 0 ] || die "this needs root: sudo sh $0 --uninstall"
	uninstall_all
else
	install_all
fi
