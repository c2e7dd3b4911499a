#!/bin/sh
# set_up.sh PYTHON WHAT: put what `make WHAT` needs into .venv at the root (WHAT: run, dev, bench, docs or lab).
# The mark .venv/.WHAT says that it is there; make calls this again when pyproject.toml is newer.
set -eu
cd "$(dirname "$0")/.."
what="$2"

fail() {
    echo "set_up: $1" >&2
    exit 2
}

new_enough() {
    command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

can_make_environments() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

find_python() {
    for candidate in "$1" python3 python3.13 python3.12 python3.11; do
        if new_enough "$candidate" && can_make_environments "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

if ! { [ -x .venv/bin/python ] && .venv/bin/python -c 'import pip' 2>/dev/null; }; then
    python=$(find_python "$1")
    if [ -z "$python" ]; then
        new_enough "$1" || fail "Python 3.11 or newer is needed; '$1' is not. Say which with: make PYTHON=/path/to/python3"
        # Debian and Ubuntu ship Python without the module that makes environments.
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
            echo "set_up: installing python3-venv (missing beside $1)" >&2
            { apt-get update -q && apt-get install -qy python3-venv; } >/dev/null 2>&1 || true
        fi
        can_make_environments "$1" || fail "$1 has no module venv: on Debian or Ubuntu, 'sudo apt-get install python3-venv'"
        python="$1"
    fi
    "$python" -m venv .venv || fail "the environment .venv could not be made with $python"
fi

case "$what" in
    run) target=".[fleet,carry]" ;;
    lab) target=".[lab,sheet,carry]" ;;
    dev | bench | docs) target=".[$what]" ;;
    *) fail "'$what' is not one of run, dev, bench, docs, lab" ;;
esac

.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable "$target" ||
    fail "pip could not install $target; see its lines above"
touch ".venv/.$what"
