"""The unit of a newer Debian's Mosquitto, with what the installer puts over it, under systemd.

Of Debian 12 and 13 the whole installation is tried (`test_install.py`).
"""

import shutil
from pathlib import Path

import pytest

from tests.deploy.bare_debian import BareDebian
from tests.deploy.debian_mosquitto import RELEASES
from tests.deploy.test_install import ROOT, secrets_are_kept, the_broker_is_confined

SET_UP = """
sed '/^read_options "$@"/,$d' /release/install.sh >/release/functions.sh
. /release/functions.sh
here=/release work=$(mktemp -d) before='' new_secrets='' wheel=''
needed=mosquitto
make_users
make_secrets
setup_broker
"""
"""The installer's own steps, without the program, of which nobody has locked the packages there."""

SAID = """
cd /etc/topple-table/secrets
say() {
	mosquitto_pub -r -q 1 -h 127.0.0.1 -p "$1" -u "$2" -P "$(cat "$2")" -t topple/1/t1/state -m "$2"
}
say 1884 table
say 1883 display
exec mosquitto_sub -h 127.0.0.1 -u display -P "$(cat display)" -t '#' -C 1 -W 20 -v
"""
"""The second would be kept in place of the first, but a display may only listen."""


# A whole Debian from the package registry, and rights to start systemd in a container.
@pytest.mark.soak
def test_debian_14_starts_its_broker_confined_and_with_our_rules(tmp_path: Path) -> None:
    debian = BareDebian(tmp_path, "forky")
    debian.run("sh", "-ec", "apt-get -qq update; apt-get -qq install -y --no-install-recommends "
               "mosquitto mosquitto-clients >/dev/null")  # fmt: skip
    shutil.copytree(ROOT / "deploy", debian.root / "release")

    with debian.booted():
        debian.run("sh", "-ec", SET_UP)

        assert RELEASES["forky"] in debian.run("sh", "-c", "mosquitto -h; true")
        the_broker_is_confined(debian)
        secrets_are_kept(debian)
        assert debian.run("sh", "-c", SAID).strip() == "topple/1/t1/state table"
        said = debian.run("journalctl", "--boot", "--output=cat", "--unit=mosquitto")
        assert not any(word in said for word in ("Warning", "Error", "deprecated")), said
