#!/bin/sh
# Locks the Python packages of an installed table, or asks what is known against them.
#
# usage: scripts/dependencies.sh lock|audit
# lock writes deploy/requirements.lock anew from pyproject.toml: what every table needs, each package
# with its version and the hashes of all its files; beside it, for each extra, what that one adds
# (requirements-pi.lock and so on), and what builds packages that have no wheel for a machine
# (requirements-build.lock). audit asks the database of known weaknesses about all of these; it ends
# with 1 when there are some, or when it could not be asked.
set -eu
cd "$(dirname "$0")/.."

tools=${TOOLS:-build/dependencies}
lock=deploy/requirements.lock
extras="bridge pi bench dice league"
# What the packages without wheels name as their build systems, and hatchling, which is ours; all of
# these are pure Python. cffi, which two of them want beside, is in the lock of every table.
build_tools="setuptools setuptools-scm scikit-build-core wheel pkgconfig packaging hatchling"

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

# compile OUTPUT ARGUMENT...: versions that stand in OUTPUT already stay.
compile() {
	output=$1
	shift
	"$tools/bin/pip-compile" --quiet --generate-hashes --allow-unsafe --strip-extras --no-header \
		--no-emit-index-url --no-emit-find-links --annotation-style line \
		--output-file "$output" "$@"
}

# without LOCK OTHER: the entries of OTHER whose packages are not in LOCK.
without() {
	awk '/^[a-z0-9]/ { split($1, name, "=="); wanted = !(FILENAME == ARGV[2] && name[1] in seen) }
		FILENAME == ARGV[1] { if (/^[a-z0-9]/) seen[name[1]] = 1; next }
		wanted' "$1" "$2"
}

# lock_extra EXTRA: in the versions of all that is locked already.
lock_extra() {
	added=deploy/requirements-$1.lock
	all=build/requirements-all.lock
	cat "$lock" >"$all"
	for other in $extras; do
		[ ! -f "deploy/requirements-$other.lock" ] || without "$all" "deploy/requirements-$other.lock" >>"$all.more"
		[ ! -f "$all.more" ] || { cat "$all.more" >>"$all" && rm "$all.more"; }
	done
	compile "$all" --extra "$1" pyproject.toml
	without "$lock" "$all" >"$added"
	rm "$all"
}

case ${1:-} in
lock)
	tool pip-tools pip-compile
	mkdir -p build
	compile "$lock" pyproject.toml
	for extra in $extras; do lock_extra "$extra"; done
	# shellcheck disable=SC2086
	printf '%s\n' $build_tools >build/build-tools.in
	compile deploy/requirements-build.lock build/build-tools.in
	grep -c '^[a-z].*==' deploy/requirements*.lock
	;;
audit)
	tool pip-audit pip-audit
	for locked in deploy/requirements*.lock; do
		"$tools/bin/pip-audit" --strict --require-hashes --disable-pip --progress-spinner off \
			--requirement "$locked"
	done
	;;
*) die "say lock or audit" ;;
esac
