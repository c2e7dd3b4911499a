"""Run the command in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from unittest import mock

import pytest

from roundtrip.cli.main import main

# A model that happens to be on the machine must not change what a test sees; a test that wants one names it.
WITHOUT_MODEL = {"ROUNDTRIP_MODEL": "none"}


@dataclass
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line that bad input is answered with."""
        assert self.code == 2
        assert self.out == ""
        assert self.err.startswith("roundtrip: ")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err.strip()


def here(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run in this process, without a model unless the environment names one."""
    with mock.patch.dict(os.environ, {**WITHOUT_MODEL, **os.environ}):
        try:
            code = main(list(arguments))
        except SystemExit as leave:
            code = int(leave.code or 0)
    captured = capsys.readouterr()
    return Ran(code, captured.out, captured.err)


def apart(*arguments: str | bytes, stdin: bytes = b"", **environment: str) -> Ran:
    """Run in a process of its own."""
    command: list[str | bytes] = [sys.executable, "-c", "from roundtrip.cli.main import run; run()", *arguments]
    env = {**WITHOUT_MODEL, **os.environ, "PYTHONWARNINGS": "error", **environment}
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, env=env, timeout=120)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
