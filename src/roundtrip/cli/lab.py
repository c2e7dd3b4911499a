"""``roundtrip lab``: the laboratory in a browser, served to this machine alone."""

from __future__ import annotations

import errno
import json
import socket
from http.client import HTTPConnection

import click

from roundtrip.errors import RoundtripError

PORT = 8321
HOST = "127.0.0.1"
TRIED = 20


@click.command()
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True,
              help="Where to listen; 0 takes any that is free.")  # fmt: skip
@click.option("--open", "opens", is_flag=True, help="Open the browser.")
@click.option("--no-model", is_flag=True, help="Without the small language model that answers in the live trace.")
def lab(port: int, opens: bool, no_model: bool) -> None:
    """Open the laboratory: the trip to look at, to touch and to print."""
    built()
    listening = listen(port)
    address = f"http://{HOST}:{listening.getsockname()[1]}/"
    click.echo(f"the lab is open at {address} (Ctrl+C closes it)")
    if opens:
        import webbrowser

        webbrowser.open(address)
    serve(listening, with_model=not no_model)


def built() -> None:
    """Say how to build the site where it is missing, and what to install.

    Raises
    ------
    RoundtripError
    """
    from importlib.util import find_spec

    for module in ("starlette", "uvicorn", "websockets"):
        if find_spec(module) is None:
            raise RoundtripError(f"the lab needs {module}: pip install 'prompt-roundtrip[lab]', or 'make lab'")
    from roundtrip.lab.server import site

    if not (site() / "index.html").is_file():
        raise RoundtripError("the lab's site is not built: run 'make lab', or 'tools/build_web.sh' in the source tree")


def listen(port: int) -> socket.socket:
    """Return a socket that listens, or say who has the port and which is free.

    Raises
    ------
    RoundtripError
    """
    found = _bind(port)
    if found is not None:
        return found
    for candidate in range(port + 1, min(port + 1 + TRIED, 65_536)):
        free = _bind(candidate)
        if free is not None:
            free.close()
            break
    else:
        candidate = 0
    who = "another lab" if _is_lab(port) else "another program"
    raise RoundtripError(f"port {port} is taken by {who}; free is 'roundtrip lab --port {candidate}'")


def _bind(port: int) -> socket.socket | None:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen(512)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise RoundtripError(f"port {port} cannot be used: {error.strerror}") from None
    return made


def _is_lab(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=2.0)
    try:
        connection.request("GET", "/data/lab.json")
        body = json.loads(connection.getresponse().read(1_000_000))
    except (OSError, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(body, dict) and "presets" in body


def serve(listening: socket.socket, with_model: bool = True) -> None:
    """Serve until Ctrl+C."""
    import uvicorn

    from roundtrip.lab import server
    from roundtrip.lab.room import Room

    room = Room(with_model)
    config = uvicorn.Config(
        server.app(room=room),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=server.LARGEST_B,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_graceful_shutdown=1,
        server_header=False,
        date_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        room.close()
