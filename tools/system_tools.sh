#!/bin/sh
# Programs from outside Python that tests use as judges where they are present. As root on Debian or Ubuntu they are
# installed; elsewhere each that is missing is named with what goes untested. Nothing here is needed to run Roundtrip.
set -eu

missing=""
note() { # PROGRAM PACKAGE WHAT-IS-SKIPPED
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
note node nodejs
note rsvg-convert librsvg2-bin
note pdfinfo poppler-utils
note chromium "chromium libgl1-mesa-dri"
note tshark tshark

if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "system tools: installing$missing"
    # shellcheck disable=SC2086 # one word a package is meant
    { DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing ||
        { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing; }; } >/dev/null 2>&1 || true
fi

command -v node >/dev/null 2>&1 || echo "system tools: node is missing; the JavaScript reading is not tested"
command -v chromium >/dev/null 2>&1 || echo "system tools: chromium is missing; the lab is not tested in a browser"
command -v pdfinfo >/dev/null 2>&1 || echo "system tools: pdfinfo is missing; the question sheet's tags are not tested"
command -v tshark >/dev/null 2>&1 || echo "system tools: tshark is missing; captures are not judged by it"
command -v rsvg-convert >/dev/null 2>&1 || echo "system tools: rsvg-convert is missing; pictures are not rendered in tests"
