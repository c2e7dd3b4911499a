"""The lab without a server: a folder for any static host, or one file for a USB stick."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from pathlib import Path

from roundtrip.errors import OutputError

MARK = ".roundtrip-lab"


def _built(name: str) -> Path:
    folder = Path(__file__).parent / name
    if not folder.is_dir():
        raise OutputError("the lab's site is not built: run 'make lab', or 'tools/build_web.sh' in the source tree")
    return folder


def site(target: Path) -> int:
    """Copy the built site into a folder that is empty, new, or an earlier export; return how many files.

    Raises
    ------
    OutputError
        If the folder holds something else, or cannot be written.
    """
    source = _built("site")
    try:
        if target.exists() and not target.is_dir():
            raise OutputError(f"{target}: is a file, expected a folder")
        if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
            raise OutputError(f"{target}: holds other files, expected an empty folder or an earlier export")
        if target.is_dir():
            for old in target.iterdir():
                shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
        shutil.copytree(source, target, dirs_exist_ok=True)
        for name in (MARK, ".nojekyll"):
            (target / name).write_text("", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None
    return sum(1 for path in target.rglob("*") if path.is_file())


def single_file() -> str:
    """Return the whole lab as one HTML page that needs no server and asks nobody for anything."""
    bundle, folder = _built("single"), _built("site")
    script = (bundle / "lab.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    style = (bundle / "lab.css").read_text(encoding="utf-8").replace("</style", "<\\/style")
    data: list[str] = []
    for path in sorted((folder / "data").rglob("*.json")):
        # Inside a script element only "</" could end it, and "<!--" change how it is read.
        text = path.read_text(encoding="utf-8").replace("<", "\\u003c")
        name = path.relative_to(folder).as_posix()
        data.append(f'<script type="application/json" id="{name}">{text}</script>')
    licenses = (folder / "licenses.txt").read_text(encoding="utf-8").replace("</", "<\\/")
    data.append(f'<script type="text/plain" id="licenses">{licenses}</script>')
    icon = base64.b64encode((folder / "icon.svg").read_bytes()).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    page = (folder / "index.html").read_text(encoding="utf-8")
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>\s*', "", page)
    page = re.sub(r"<script type=\"module\"[^>]*></script>\s*", "", page)
    page = re.sub(r'<link rel="(stylesheet|modulepreload|icon|preload)"[^>]*>\s*', "", page)
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}"><style>{style}</style>'
    )
    page = page.replace('<meta charset="utf-8" />', '<meta charset="utf-8" />' + head, 1)
    before, _, after = page.rpartition("</body>")
    return before + "\n".join(data) + f"\n<script>{script}</script>\n</body>" + after


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
