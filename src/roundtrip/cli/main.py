"""The command ``roundtrip``: one thin module a verb, imported when it is called.

Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from roundtrip import __version__
from roundtrip.errors import RoundtripError, nearest

LONGEST = 600  # characters of a message: an argument may be a whole file by mistake

VERBS = {
    "trip": "Follow one prompt from the finger to the model and back to the eye.",
    "carry": "Look at the bytes and the light of a carried prompt, stage by stage (show).",
    "compare": "Lay two scenarios side by side and say what changed and why.",
    "energy": "Account for energy, water, carbon and cost inside a boundary that you draw.",
    "explain": "Say what a stage, a figure, a function or a claim is, and where its number comes from.",
    "sensitivity": "Say which unknown moves a figure most, and which measurement would help.",
    "audit": "Recompute the figures of the three seed documents.",
    "link": "Send a whole spectrum through an optical line: noise, margin, capacity, watts.",
    "latency": "Predict a key press, to the wire and to the screen, beside measured ones.",
    "catalog": "Show what there is to choose from, with source and band.",
    "chat": "Talk with the small model in the terminal, with the wait of each turn underneath.",
    "inside": "Look into the small model: tokens, vectors, attention, each layer's guess, the scores.",
    "serve": "Serve the small language model to any client of the OpenAI interface.",
    "model": "The weights of the small language model; any model counted from its architecture (show).",
    "fleet": "Run, size, sweep and compare serving clusters: each request's wait, and why.",
    "fit": "Fit the constants of step times to your own measurements, and say how sure they are.",
    "validate": "Hold the model against published figures and data sets.",
    "scenarios": "List the presets and the choices that a scenario makes.",
    "sheet": "Write the question sheet for a class or a kitchen table, as PDF.",
    "lab": "Open the laboratory in a browser: look at the trip, touch it, print it.",
    "export": "Write the laboratory as a folder for a static host, or as one file.",
}


class Verbs(click.Group):
    """A group that imports a verb when it is called; its help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of a reader's first visit."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = getattr(import_module(f"roundtrip.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Name the nearest verb where there is none of that name."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in VERBS:
            raise click.UsageError(f"no command {printable(name)!r}{nearest(name, VERBS)}; see 'roundtrip --help'")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="roundtrip", message="%(prog)s %(version)s")
def roundtrip() -> None:
    """Follow one prompt from the finger to the language model and back to the eye.

    Every number has a unit, a band, a grade and a source. Start with: roundtrip trip "The capital of France is"
    """


def printable(text: str) -> str:
    r"""Return a text that any terminal can print: bytes that were no UTF-8 are shown as ``\xNN``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def fail(message: str) -> int:
    """Print one line on standard error, and return the exit code of bad input."""
    line = " ".join(printable(message).split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    try:
        sys.stderr.write(f"roundtrip: {line}\n")
    except UnicodeEncodeError:
        sys.stderr.write(f"roundtrip: {line.encode('ascii', 'backslashreplace').decode('ascii')}\n")
    return 2


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit code; every error that is foreseen is one line."""
    try:
        result = roundtrip.main(args=arguments, prog_name="roundtrip", standalone_mode=False)
    except RoundtripError as error:
        return fail(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return fail(error.format_message())
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except (BrokenPipeError, SystemExit):  # click leaves by itself when a pipe breaks
        return _quiet()
    except OSError as error:  # a file of the reader's: name too long, no permission, a loop of links
        return fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
    return result if isinstance(result, int) else 0


def run() -> None:
    """Entry point of the command."""
    _open_closed()
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _quiet()
    sys.exit(code)


def _open_closed() -> None:
    """Open what the caller closed (``>&-``): to nothing, so that no file of ours takes the number of a stream."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _quiet() -> int:
    """Leave without a word when the reader of a pipe has gone: Python must not try to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
