"""A certificate for this machine alone: made for one run, signed by itself, gone with it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

from roundtrip.errors import RoundtripError

SECONDS = 30.0


@contextlib.contextmanager
def self_signed() -> Generator[tuple[Path, Path], None, None]:
    """Make a certificate for 127.0.0.1 and its key (elliptic, P-256), valid for a day; both files go afterwards.

    Yields
    ------
    (Path, Path)
        Certificate and key.

    Raises
    ------
    RoundtripError
        Without the program ``openssl``: Python's own library uses certificates, and makes none.
    """
    program = shutil.which("openssl")
    if program is None:
        raise RoundtripError("TLS on this machine needs a certificate, and the program 'openssl' to make it")
    with tempfile.TemporaryDirectory(prefix="roundtrip-tls-") as folder:
        cert, key = Path(folder) / "cert.pem", Path(folder) / "key.pem"
        command = [
            program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", str(key), "-out", str(cert), "-days", "1", "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1",
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RoundtripError(f"openssl made no certificate: {error}") from None
        if done.returncode or not cert.is_file():
            said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise RoundtripError(f"openssl made no certificate: {said[:200]}")
        yield cert, key
