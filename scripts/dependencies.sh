#!/bin/sh
# Locks the Python packages of an installed table, or asks what is known against them.
#
# usage: scripts/dependencies.sh lock|audit
# lock writes deploy/requirements.lock anew from pyproject.toml: what a table needs on any machine,
# each package with its version and the hashes of all its files. audit asks the database of known
# weaknesses about just these; it ends with 1 when there are some, or when it could not be asked.
set -eu
cd "$(dirname "$0")/.."

tools=${TOOLS:-build/dependencies}
lock=deploy/requirements.lock

die() {
	echo "topple-table dependencies: $*" >&2
	exit 2
}

# tool PACKAGE COMMAND: installs it where only this script looks.
tool() {
	[ ! -x "$tools/bin/$2" ] || return 0
	"${PYTHON:-python3}" -m venv "$tools" || die "no virtual environment could be made in $tools"
	"$tools/bin/pip" install --quiet --disable-pip-version-check "$1" ||
		die "$1 could not be installed; is the network there?"
}

case ${1:-} in
lock)
	tool pip-tools pip-compile
	"$tools/bin/pip-compile" --quiet --generate-hashes --strip-extras --no-header \
		--no-emit-index-url --no-emit-find-links --annotation-style line \
		--extra bridge --extra pi --extra bench --output-file "$lock" pyproject.toml
	echo "$lock: $(grep -c '^[a-z].*==' "$lock") packages"
	;;
audit)
	tool pip-audit pip-audit
	"$tools/bin/pip-audit" --strict --require-hashes --disable-pip --progress-spinner off \
		--requirement "$lock"
	;;
*) die "say lock or audit" ;;
esac
