#!/bin/sh
# Makes or refreshes the virtual environment, and does nothing when it is fresh already.
#
# usage: scripts/setup.sh core|dev|drawings   (core: what table and lab need; dev: also what the
#        tests need; drawings: also what models the mechanics, a gigabyte)
# PYTHON and VENV choose the interpreter and the folder. Fresh means: made in this folder, with this
# Python, for these two pyproject.toml; the stamp in the environment records all that.
set -eu
cd "$(dirname "$0")/.."

level=${1:-core}
python=${PYTHON:-python3}
venv=${VENV:-.venv}

die() {
	echo "topple-table setup: $*" >&2
	exit 2
}

# enough: levels that hold all of this one.
case $level in
core) wanted=. enough="core dev drawings" ;;
dev) wanted=.[dev] enough="dev drawings" ;;
drawings) wanted=.[dev,drawings] enough=drawings ;;
*) die "unknown level '$level': core, dev or drawings" ;;
esac

check_python() {
	command -v "$python" >/dev/null 2>&1 ||
		die "$python is not installed; try: apt-get install python3 python3-venv"
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		die "$("$python" --version) is too old, 3.11 or newer is needed; name another one: make PYTHON=python3.12 ..."
	"$python" -c 'import venv, ensurepip' 2>/dev/null ||
		die "$python cannot make virtual environments; try: apt-get install python3-venv"
}

fingerprint() {
	# The place comes first: scripts inside an environment hold their absolute path, so one that
	# was moved with its checkout is of no use.
	pwd
	"$venv/bin/python" --version
	cat pyproject.toml lab/pyproject.toml | cksum
}

is_fresh() {
	[ -x "$venv/bin/python" ] || return 1
	for each in $enough; do
		stamp=$venv/.ready-$each
		if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]; then return 0; fi
	done
	return 1
}

is_usable() {
	"$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || return 1
	for stamp in "$venv"/.ready-*; do
		if [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" != "$(pwd)" ]; then return 1; fi
	done
}

is_fresh && exit 0
if ! is_usable; then
	check_python
	echo "topple-table setup: making $venv with $("$python" --version)"
	"$python" -m venv --clear "$venv" || die "could not make $venv; is the disk full or the folder read-only?"
fi

echo "topple-table setup: installing Python packages ($level) into $venv"
rm -f "$venv"/.ready-*
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
	--editable "$wanted" --editable ./lab ||
	die "pip could not install the Python packages; its message is above. Is the network there?"
fingerprint >"$venv/.ready-$level"
