#!/bin/sh
# Installs Topple Table as services on Raspberry Pi OS and Debian, Bookworm (12) or Trixie (13).
#
# Run it again to update, to mend, or to change an option: what is right already is left alone, and
# your configuration always is. Each version lies in a folder of its own under /opt/topple-table;
# `current` points to the one in use. A new one is tried first, then switched to, and switched back
# when the services do not come up with it.
set -eu
# Others read what is installed, whatever the one who installs keeps to himself.
umask 022

usage() {
	cat <<'USAGE'
usage: sudo sh deploy/install.sh [OPTIONS]

  --dry-run          say what would be done, and do nothing; needs no root
  --wheel FILE       install this wheel (default: the newest in dist/, else one is built from here)
  --wheelhouse DIR   take Python packages from this folder only; no network is needed
  --wiring KIND      bridge (Nano), pi (sensors on this computer's pins), starter (one load cell
                     and a tilt switch on them) or twin (simulated); found out when left out. Only
                     for a new configuration
  --name ID          the table's name in every topic, t1 when left out: lower-case letters, digits
                     and hyphens. Only for a new configuration
  --hub HOST[:PORT]  join this table's broker to the hub of a club; none: leave the club
  --no-broker        leave Mosquitto alone; you have one, and name it in /etc/topple-table/table.toml
  --kiosk            also show the scoreboard on this machine's own screen
  --uninstall        take it away again; games, calibration and configuration stay
  --purge            with --uninstall: these too
USAGE
}

# Where things are. The same in systemd/*.service and mosquitto/topple-table.conf.
opt=/opt/topple-table
etc=/etc/topple-table
var=/var/lib/topple-table
units=/etc/systemd/system
command_link=/usr/local/bin/topple-table
rules=/etc/udev/rules.d/70-topple-table.rules
logs=/etc/systemd/journald.conf.d/topple-table.conf
broker_conf=/etc/mosquitto/conf.d/topple-table.conf
broker_acl=/etc/mosquitto/topple-table.acl
broker_passwd=/etc/mosquitto/topple-table.passwd
broker_bridge=/etc/mosquitto/conf.d/topple-table-bridge.conf
services="topple-table topple-table-scoreboard"
roles="table controller display homeassistant"
here=$(cd "$(dirname "$0")" && pwd)

dry_run='' wheel='' wheelhouse='' wiring='' name='' hub='' broker=yes kiosk='' uninstall='' purge=''

# ------------------------------------------------------------------------------ words and deeds

say() { echo "topple-table: $*"; }
warn() { echo "topple-table: note: $*" >&2; }
die() {
	echo "topple-table: $*" >&2
	exit 2
}
fail() {
	echo "topple-table: $*" >&2
	exit 1
}

# Does something, or says that it would.
run() {
	if [ "$dry_run" ]; then echo "  would run: $*"; else "$@"; fi
}

# put FILE DESTINATION MODE [OWNER]: in place and complete, or not at all. Sets $changed when it
# was not there already.
changed=''
put() {
	if cmp -s "$1" "$2"; then return 0; fi
	changed=yes
	if [ "$dry_run" ]; then
		echo "  would write: $2"
		return 0
	fi
	mkdir -p "$(dirname "$2")"
	install -m "$3" -o "${4:-root}" -g "${4:-root}" "$1" "$2.new"
	sync "$2.new"
	mv -f "$2.new" "$2"
	say "wrote $2"
}

is_match() { printf '%s\n' "$1" | grep -qxE "$2"; }
have() { command -v "$1" >/dev/null 2>&1; }
is_installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
has_systemd() { [ -d /run/systemd/system ]; }
is_pi() { grep -q "Raspberry Pi" /proc/device-tree/model 2>/dev/null; }

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
	[ -z "$wheelhouse" ] || [ -d "$wheelhouse" ] || die "--wheelhouse $wheelhouse: there is no such folder"
	[ -z "$name" ] || is_match "$name" '[a-z0-9-]{1,32}' ||
		die "--name $name: use 1 to 32 lower-case letters, digits and hyphens"
	[ -z "$hub" ] || is_match "$hub" '[A-Za-z0-9.-]+(:[0-9]{1,5})?' ||
		die "--hub $hub: give HOST or HOST:PORT, or none"
	[ -z "$hub" ] || [ "$broker" ] || die "--hub joins this table's own Mosquitto; leave --no-broker out"
	[ -z "$purge" ] || [ "$uninstall" ] || die "--purge goes with --uninstall only"
}

check_machine() {
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
	say "on $system, $(uname -m)$(is_pi && printf ', %s' "$(tr -d '\0' </proc/device-tree/model)")"
	free_kb=$(df -Pk /usr | awk 'NR == 2 { print $4 }')
	[ "$free_kb" -ge 400000 ] || die "only $((free_kb / 1024)) MB are free, 400 are needed"
}

# Which table is wired to this machine: what the owner says, else what can be seen.
find_wiring() {
	nano=$(find /dev/serial/by-id -name '*' -type l 2>/dev/null | head -n 1)
	if [ -z "$wiring" ]; then
		wiring=twin
		if [ -s "$var/calibration.json" ]; then
			wiring=pi
			[ -z "$nano" ] || wiring=bridge
		fi
	fi
}

report_hardware() {
	case $wiring in
	bridge)
		if [ "$nano" ]; then
			say "a serial device is there: $nano"
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
	# Some packages for the pins come as source.
	if is_pi; then needed="$needed gcc python3-dev"; fi
	missing=''
	for package in $needed; do is_installed "$package" || missing="$missing $package"; done
	if [ "$missing" ]; then
		say "installing Debian packages:$missing"
		run env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update ||
			warn "apt-get update failed; trying with the lists that are here"
		# shellcheck disable=SC2086
		run env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
			install --no-install-recommends -y $missing >/dev/null ||
			fail "apt-get could not install them; its words are above. Nothing else was changed"
	fi
	[ "$dry_run" ] && ! have python3 ||
		python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "$(python3 --version) is too old, 3.11 or newer is needed"
}

# user NAME: without password, home or shell.
user() {
	id "$1" >/dev/null 2>&1 ||
		run useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
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
}

# ------------------------------------------------------------------------------ the program

find_wheel() {
	[ "$wheel" ] || wheel=$(find "$here/../dist" -name 'topple_table-*.whl' 2>/dev/null | sort -V | tail -n 1)
	[ "$wheel" ] || build_wheel
	if [ "$wheel" ]; then
		version=$(basename "$wheel" | cut -d- -f2)
		fingerprint=$(sha256sum "$wheel" | cut -d' ' -f1)
	else
		version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../pyproject.toml") fingerprint=unknown
	fi
}

build_wheel() {
	[ -f "$here/../pyproject.toml" ] || die "no wheel is here; name one: --wheel FILE"
	say "building a wheel from $(cd "$here/.." && pwd)"
	[ -z "$dry_run" ] || return 0
	python3 -m venv "$work/build"
	"$work/build/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work" "$here/.." ||
		fail "the wheel could not be built; the words are above"
	wheel=$(find "$work" -maxdepth 1 -name 'topple_table-*.whl')
}

# The folder of this very wheel: /opt/topple-table/VERSION, or VERSION+SUM when another build of
# the same version is there. Complete when it holds the fingerprint.
choose_folder() {
	folder=$opt/$version
	if [ -f "$folder/.complete" ] && [ "$(cat "$folder/.complete")" != "$fingerprint" ]; then
		folder=$opt/$version+$(echo "$fingerprint" | cut -c1-8)
	fi
}

install_program() {
	if [ -f "$folder/.complete" ]; then
		say "version $version is installed already"
		return 0
	fi
	say "installing version $version into $folder"
	extras=bridge
	if is_pi; then extras=bridge,pi; fi
	if [ "$dry_run" ]; then
		echo "  would make: a virtual environment with ${wheel:-that wheel} [$extras]"
		echo "  would try: a simulated game with it, before anything depends on it"
		return 0
	fi
	# What a broken-off run left behind.
	rm -rf "$folder"
	mkdir -p "$opt"
	python3 -m venv "$folder"
	set -- --quiet --disable-pip-version-check --no-input
	[ -z "$wheelhouse" ] || set -- "$@" --no-index --find-links "$wheelhouse"
	"$folder/bin/pip" install "$@" "${wheel}[$extras]" || {
		rm -rf "$folder"
		fail "pip could not install the Python packages; its words are above. The version in use was left alone"
	}
	try_program
	# For the way back to this version.
	mkdir "$folder/deploy"
	cp -r "$here/systemd" "$here/udev" "$here/journald" "$folder/deploy"
	echo "$fingerprint" >"$folder/.complete"
	sync
}

# A simulated game, detected and scored, on this very machine, before anything depends on it.
try_program() {
	score=$(cd / && timeout 600 setpriv --reuid=topple-table --regid=topple-table --clear-groups \
		"$folder/bin/topple-table" demo --headless 2>&1 | tail -n 1)
	case $score in
	"Final score:"*) say "tried with a simulated game. $score" ;;
	*)
		rm -rf "$folder"
		fail "the new version cannot play a simulated game here ($score). The version in use was left alone"
		;;
	esac
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
	set_key "$1" source.pi lights '[]'
	for unfitted in pass_button undo_button bumped_button buzzer; do
		set_key "$1" source.pi "$unfitted" 0
	done
}

write_config() {
	if [ -f "$etc/table.toml" ]; then
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
		set_key "$config" broker user '"table"'
		set_key "$config" broker password_file "\"$etc/secrets/table\""
	fi
	kind=$wiring
	if [ "$wiring" = starter ]; then
		kind=pi
		wire_starter "$config"
	fi
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
		[ ! -e "$broker_bridge" ] || {
			run rm "$broker_bridge"
			changed=yes
		}
		return 0
		;;
	*:*) address=$hub ;;
	*) address=$hub:1883 ;;
	esac
	# The password is read by awk itself: on a command line everybody could read it.
	[ "$dry_run" ] || (umask 077 && awk -v hub="$address" -v table="$called" -v secret="$etc/secrets/hub" '
		BEGIN { getline password <secret }
		/^address HUB$/ { $2 = hub }
		/^remote_password PASSWORD$/ { $2 = password }
		{ gsub(/TABLE/, table); print }' "$here/mosquitto/bridge.conf" >"$work/bridge")
	put "$work/bridge" "$broker_bridge" 0600 mosquitto
}

# One password for each role, made here and told to nobody.
make_secrets() {
	for role in ${roles_here:-$roles}; do
		[ -s "$etc/secrets/$role" ] && continue
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
	write_bridge
	if [ "${new_secrets:-}" ] || [ ! -f "$broker_passwd" ] || [ "$(find "$etc/secrets" -newer "$broker_passwd")" ]; then
		put_passwords
	fi
	[ -z "$changed" ] || restart_broker
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
		run systemctl enable --quiet mosquitto
		run systemctl restart mosquitto || fail "Mosquitto does not start; see: journalctl -u mosquitto"
	fi
}

# put_system_files FOLDER: the units and rules that belong to a version.
put_system_files() {
	changed=''
	for service in $services; do put "$1/systemd/$service.service" "$units/$service.service" 0644; done
	[ -z "$kiosk" ] || put "$1/systemd/topple-table-kiosk.service" "$units/topple-table-kiosk.service" 0644
	put "$1/udev/70-topple-table.rules" "$rules" 0644
	if is_pi; then put "$1/journald/topple-table.conf" "$logs" 0644; fi
	if [ "$changed" ] && has_systemd; then
		run systemctl daemon-reload
	fi
	# A container has no udev of its own.
	if [ "$changed" ] && [ -S /run/udev/control ]; then
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

switch_over() {
	before=$(readlink "$opt/current" 2>/dev/null || true)
	# The owner's configuration, read by the new version, before anything is switched.
	[ "$dry_run" ] || "$folder/bin/topple-table" doctor --config "$etc/table.toml" --only config ||
		fail "version $version cannot work with this configuration; version ${before##*/} stays in use"
	[ "$before" = "$folder" ] || point "$folder"
	[ "$(readlink "$command_link" 2>/dev/null)" = "$opt/current/bin/topple-table" ] ||
		run ln -sfn "$opt/current/bin/topple-table" "$command_link"
	if ! has_systemd; then
		warn "systemd does not run here; start the table by hand: topple-table run --config $etc/table.toml"
	elif ! start_services; then
		roll_back
	fi
	remove_old_versions
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
	[ -z "$dry_run" ] || return 0
	sleep "${TOPPLE_SETTLE_S:-10}"
	for service in $services; do
		systemctl --quiet is-active "$service" || return 1
	done
}

roll_back() {
	say "the services do not stay up with version $version; their last words:"
	for service in $services; do journalctl --no-pager --lines=5 --output=cat --unit="$service" 2>/dev/null || true; done
	if [ -z "$before" ] || [ "$before" = "$folder" ]; then
		fail "there is no earlier version to go back to; topple-table doctor says what to do"
	fi
	point "$before"
	put_system_files "$before/deploy"
	rm -rf "$folder"
	start_services || fail "went back to version ${before##*/}, which does not start either; see: topple-table doctor"
	fail "went back to version ${before##*/}, which runs"
}

# The one in use and the one before it stay.
remove_old_versions() {
	for old in "$opt"/*/; do
		old=${old%/}
		case $old in
		"$folder" | "$before" | "$opt/current" | "$opt/*") ;;
		*) run rm -rf "$old" ;;
		esac
	done
}

# ------------------------------------------------------------------------------ the two ways

last_words() {
	if [ "$dry_run" ]; then
		say "that would be all; nothing was done"
		return 0
	fi
	say "done. Pages: http://$(uname -n).local:8080/   Health: topple-table doctor"
	say "passwords for displays and Home Assistant: $etc/secrets"
	[ -z "${roles_here:-}" ] ||
		say "tell the hub: mosquitto_passwd /etc/mosquitto/topple-hub.passwd $called, with the password in $etc/secrets/hub"
	if is_uncalibrated; then
		say "the table is not calibrated yet. Do that, and run this again:"
		echo "  sudo -u topple-table topple-table calibrate --config $etc/table.toml"
	fi
	[ "$wiring" != twin ] || [ -z "${config:-}" ] ||
		say "it plays a simulated evening until a table is wired and calibrated; then set [source] in $etc/table.toml"
}

install_all() {
	check_machine
	[ -z "$broker" ] || check_broker
	check_hub
	find_wiring
	install_packages
	make_users
	find_wheel
	choose_folder
	install_program
	report_hardware
	write_config
	new_secrets=''
	make_secrets
	[ -z "$broker" ] || setup_broker
	put_system_files "$here"
	switch_over
	last_words
}

# What the installer did, the other way round.
uninstall_all() {
	if has_systemd; then
		for service in $services topple-table-kiosk; do
			[ ! -e "$units/$service.service" ] || run systemctl disable --quiet --now "$service" || true
		done
	fi
	for path in "$units/topple-table.service" "$units/topple-table-scoreboard.service" \
		"$units/topple-table-kiosk.service" "$units"/multi-user.target.wants/topple-table*.service "$rules" "$logs" "$command_link" \
		"$broker_conf" "$broker_acl" "$broker_passwd" "$broker_bridge" "$opt"; do
		if [ -e "$path" ] || [ -L "$path" ]; then
			run rm -rf "$path"
			[ "$dry_run" ] || say "removed $path"
		fi
	done
	if has_systemd; then
		run systemctl daemon-reload
		if is_installed mosquitto; then run systemctl restart mosquitto || true; fi
	fi
	if [ "$purge" ]; then
		run rm -rf "$etc" "$var"
		for name in topple-table topple-scoreboard topple-kiosk; do
			if id "$name" >/dev/null 2>&1; then run userdel "$name"; fi
		done
		say "games, calibration and configuration are gone too"
	else
		say "kept: $var (games, calibration), $etc (configuration, passwords); --purge removes them"
	fi
	say "Debian packages stay; remove what you no longer want: apt-get autoremove mosquitto"
}

read_options "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ "$uninstall" ]; then
	[ "$dry_run" ] || [ "$(id -u)" = 0 ] || die "this needs root: sudo sh $0 --uninstall"
	uninstall_all
else
	install_all
fi
