#!/bin/sh
# make_pictures.sh [NAME...]: the pictures of the lab in the README and the docs, taken from the lab itself in Chromium.
# Needs Node.js, Chromium and playwright-core (make browser has them); without Chromium the pictures stay as they are.
set -eu
cd "$(dirname "$0")/.."
chromium=${ROUNDTRIP_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || { echo "make_pictures: no Chromium here; the pictures stay as they are" >&2; exit 0; }
tools/build_web.sh stale
scratch=$(mktemp -d)
lab=
trap '[ -z "$lab" ] || kill "$lab"; rm -rf "$scratch"' EXIT
port=${PORT:-8329}
.venv/bin/roundtrip lab --port "$port" >"$scratch/lab.log" 2>&1 &
lab=$!
n=0
until grep -q "the lab is open" "$scratch/lab.log"; do
    n=$((n + 1))
    if [ "$n" -gt 100 ] || ! kill -0 "$lab" 2>/dev/null; then
        cat "$scratch/lab.log" >&2
        exit 2
    fi
    sleep 0.2
done
PATH="$(pwd)/.venv/node:$PATH"
ROUNDTRIP_CHROMIUM="$chromium" node tools/make_pictures.mjs "http://127.0.0.1:$port/" docs/images "$@"
