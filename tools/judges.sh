#!/bin/sh
# judges.sh [NAME ...]: set up the programs that tests hold Roundtrip against, each in an environment of its own under
# .judges/NAME, so that the package never depends on them. Without a name: those that are quick to set up.
# A test that misses its judge is skipped and says how to get it; nothing here is needed to run Roundtrip.
set -eu
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1
python="${PYTHON:-python3}"

package_of() {
    case "$1" in
        gnpy) echo "gnpy==3.0.1" ;;
        ecologits) echo "ecologits==0.11.3" ;;
        colour) echo "colour-science==0.4.7" ;;
        salib) echo "SALib==1.6.0" ;;
        *) return 1 ;;
    esac
}

for name in ${*:-gnpy ecologits salib}; do
    package=$(package_of "$name") || { echo "judges: '$name' is not one of gnpy, ecologits, salib, colour" >&2; exit 2; }
    home=".judges/$name"
    [ -f "$home/.$package" ] && continue
    mkdir -p .judges
    if "$python" -m venv "$home" >/dev/null 2>&1 && "$home/bin/python" -m pip install -q "$package" >/dev/null 2>&1; then
        touch "$home/.$package"
    else
        echo "judges: $package could not be set up in $home; the tests that need it are skipped"
    fi
done
