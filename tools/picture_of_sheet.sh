#!/bin/sh
# picture_of_sheet.sh: the first page of the question sheet, as the docs show it. Needs WeasyPrint and poppler-utils.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/roundtrip sheet --scenario concept "$scratch/sheet.pdf"
pdftoppm -png -gray -r 88 -f 1 -l 1 -singlefile "$scratch/sheet.pdf" "$scratch/sheet"
cp "$scratch/sheet.png" docs/images/sheet.png
