"""``python -m roundtrip`` is the command ``roundtrip``."""

from roundtrip.cli.main import run

if __name__ == "__main__":
    run()
