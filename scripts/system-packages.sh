#!/bin/sh
# Installs the Debian packages that some tests need, where that can be done without asking.
#
# usage: scripts/system-packages.sh PACKAGE...
# As root, or with a sudo that asks for no password, the missing ones are installed. Otherwise, and
# on systems without apt-get, they are named, and the tests that need them skip themselves by name.
# With CI=true a missing package is an error.
set -eu

is_installed() {
	[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in "$@"; do
	is_installed "$package" 2>/dev/null || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

cannot() {
	echo "topple-table setup: missing system packages:$missing ($1)." >&2
	echo "The tests that need them will be skipped; to have them: apt-get install$missing" >&2
	if [ "${CI:-}" = true ]; then exit 1; fi
	exit 0
}

command -v apt-get >/dev/null 2>&1 || cannot "there is no apt-get here"
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	cannot "installing them needs root"
fi

apt() {
	# shellcheck disable=SC2086  # as_root is empty or two words
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >/dev/null
}

echo "topple-table setup: installing system packages:$missing"
apt update || echo "topple-table setup: apt-get update failed, trying with the lists that are here" >&2
# One at a time: a package that this release does not have must not keep the others away.
wanted=$missing
missing=
for package in $wanted; do
	apt install --no-install-recommends -y "$package" || missing="$missing $package"
done

# Debian starts brokers and database on installation. The tests start their own on free ports, and a
# table is set up by deploy/, so one that we brought in is left off.
for service in mosquitto postgresql nats-server rabbitmq-server; do
	case " $wanted " in
	*" $service "*)
		if [ -d /run/systemd/system ] && is_installed "$service"; then
			$as_root systemctl disable --now --quiet "$service" || true
			echo "topple-table setup: the $service service was left switched off; the tests start their own"
		fi
		;;
	esac
done
[ -z "$missing" ] || cannot "apt-get could not install them"
