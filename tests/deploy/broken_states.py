"""What can become of an installation, each with the words of the run that mends it."""

from dataclasses import dataclass

IN_USE = "$(readlink -f /opt/topple-table/current)"
VAR = "/var/lib/topple-table"
ETC = "/etc/topple-table"


@dataclass(frozen=True, slots=True)
class Broken:
    """A state: how it comes about, and what the next run of the installer says.

    `sentence` is what the command `topple-table` ends with before.
    """

    name: str
    by: str
    said: str
    sentence: str = ""


STATES = (
    Broken("a module cut", f"truncate -s 100 $(find {IN_USE}/lib -path '*controller/cli.py')",
           "is damaged", "its own files are not whole ("),
    Broken("a module emptied", f"truncate -s 0 $(find {IN_USE}/lib -name densities.py)",
           "densities.py is not as it was installed"),
    Broken("a page lost", f"rm $(find {IN_USE}/lib -path '*pages/scoreboard/table.js')",
           "table.js: No such file or directory"),
    Broken("packages closed to all but root", f"chmod -R go= {IN_USE}/lib",
           "site-packages: Permission denied"),
    Broken("Python of the version gone", f"rm {IN_USE}/bin/python*", "is damaged"),
    Broken("a library lost", f"rm -r $(find {IN_USE}/lib -type d -name msgspec)",
           "is damaged", "No module named 'msgspec'"),
    Broken("a library lost without a trace", f"rm -r {IN_USE}/lib/python3*/site-packages/*serial*",
           "pyserial is gone"),
    Broken("the command lost", f"rm {IN_USE}/bin/topple-table", "is damaged"),
    Broken("installed for an older Python", f"mv {IN_USE}/lib/python3.* {IN_USE}/lib/python3.10",
           "; it was installed for python3.10)",
           "it was installed with Python 3.10, and this computer has 3."),
    Broken("the lab lost", f"rm -r {IN_USE}/lib/python3*/site-packages/*lab*",
           "installed the lab, for simulated tables"),
    Broken("the mark of a complete version lost", f"rm {IN_USE}/.complete", "its mark is gone"),
    Broken("power lost in mid-install", f"v={IN_USE}; mv $v/.complete $v/.begun; rm -r $v/bin; "
           "rm /opt/topple-table/current", "installing version"),
    Broken("the folder of the version moved away", f"mv {IN_USE} /srv", "installing version"),
    Broken("a copy in place of the link", f"v={IN_USE}; rm /opt/topple-table/current; "
           "cp -a $v /opt/topple-table/current", "is no link any more"),
    Broken("the folder of all versions closed", "chmod 700 /opt/topple-table",
           "gave /opt/topple-table the owner root and the rights 0755 again"),
    Broken("another version half there", "mkdir /opt/topple-table/9.9.9; cd /opt/topple-table; "
           "touch 9.9.9/.begun; ln -s /opt/topple-table/9.9.9 current.new", "installed already"),
    Broken("a file of Debian's Python lost", "rm /usr/lib/python3.*/sqlite3/__init__.py",
           "files of Debian packages were lost or changed: libpython3."),
    Broken("Mosquitto's program lost", "rm /usr/sbin/mosquitto", "lost or changed: mosquitto"),
    Broken("Mosquitto's settings lost", "rm /etc/mosquitto/mosquitto.conf",
           "lost or changed: mosquitto"),
    Broken("our files at the broker lost", "rm -r /etc/mosquitto/conf.d/* "
           "/etc/mosquitto/topple-table.* /etc/systemd/system/mosquitto.service.d",
           "wrote /etc/mosquitto/topple-table.acl"),
    Broken("the broker's memory lost and itself stopped", "systemctl stop mosquitto; "
           "rm -r /var/lib/mosquitto", "installed already"),
    Broken("the unit changed and switched off", "systemctl disable --now topple-table; "
           "sed -i s/topple-table/tipple-table/ /etc/systemd/system/topple-table.service; "
           "systemctl daemon-reload", "wrote /etc/systemd/system/topple-table.service"),
    Broken("units and command lost", "rm /etc/systemd/system/topple-table*.service "
           "/usr/local/bin/topple-table /etc/udev/rules.d/70-topple-table.rules",
           "wrote /etc/udev/rules.d/70-topple-table.rules"),
    Broken("the users deleted", "systemctl stop topple-table topple-table-scoreboard; "
           "userdel topple-table; sed -i /^topple-scoreboard:/d /etc/passwd /etc/shadow; "
           "useradd --system squatter; useradd --system another",
           f"gave {VAR} and what is in it back to topple-table"),
    Broken("games given to root and closed", f"chown -R root:root {VAR}; chmod -R a= {VAR}",
           f"gave {VAR} and what is in it back to topple-table"),
    Broken("passwords open to all", f"chown -R root:root {ETC}/secrets; chmod 666 {ETC}/secrets/*",
           f"gave {ETC}/secrets/table the owner topple-table and the rights 0600 again"),
    Broken("passwords lost", f"rm -r {ETC}/secrets", f"wrote {ETC}/secrets/table"),
    Broken("the configuration emptied", f"truncate -s 0 {ETC}/table.toml",
           f"{ETC}/table.toml was empty and is written anew"),
    Broken("the configuration closed", f"chmod 600 {ETC}/table.toml",
           f"gave {ETC}/table.toml the owner root and the rights 0644 again"),
    Broken("the clock set back, and a password changed since",
           f"find /opt/topple-table {ETC} /etc/mosquitto -exec touch -h -d 2099-01-01 {{}} +; "
           f"echo a-new-one >{ETC}/secrets/display",
           "which is before this was unpacked or installed"),
)  # fmt: skip


def as_documented() -> str:
    """The table of the guide."""
    rows = (f"| {state.name} | `{state.said}` |" for state in STATES)
    return "\n".join(("| broken | words of the run that mended it |", "|---|---|", *rows))
