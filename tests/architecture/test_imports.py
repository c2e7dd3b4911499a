"""Who may import what, and when: stages stay pure, the start stays light, the public surface stays closed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import roundtrip

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "roundtrip"
FILES = sorted(SRC.rglob("*.py"))
STAGES = sorted((SRC / "stages").rglob("*.py"))
HEAVY = ("scipy", "numba", "sympy", "matplotlib", "rich", "pandas")
LINES = 500


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_name(path)}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", STAGES, ids=_name)
def test_a_stage_knows_numpy_and_figures_alone(path: Path) -> None:
    allowed = ("numpy", "roundtrip.figures", "roundtrip.errors")
    standard = sys.stdlib_module_names
    for name in _imports(path):
        assert name.startswith(allowed) or name.partition(".")[0] in standard, f"{_name(path)} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_is_short_and_has_no_assert_nor_print(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    for node in ast.walk(ast.parse(text)):
        assert not isinstance(node, ast.Assert), f"{_name(path)}:{node.lineno}: assert"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            raise AssertionError(f"{_name(path)}:{node.lineno}: print")


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_nothing_heavy_is_imported_by_a_module(path: Path) -> None:
    assert not {n for n in _imports(path) if n.partition(".")[0] in HEAVY}


def _loaded(code: str) -> set[str]:
    report = "print(' '.join({m.partition('.')[0] for m in sys.modules}))"
    script = f"import sys\n{code}\n{report}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["trip", "--help"], ["catalog", "--help"]])
def test_version_and_help_load_no_numpy(arguments: list[str]) -> None:
    loaded = _loaded(
        f"from roundtrip.cli.main import main\ntry:\n    main({arguments!r})\nexcept SystemExit:\n    pass"
    )
    assert not loaded & {"numpy", "scipy", "numba"}


def test_import_alone_loads_next_to_nothing() -> None:
    assert not _loaded("import roundtrip") & {"numpy", "click", "tomllib", "csv", "json"}


def test_a_scalar_trip_loads_neither_scipy_nor_numba() -> None:
    loaded = _loaded("from roundtrip.cli.main import main\nmain(['trip', '--samples', '0', '--json'])")
    assert "numpy" in loaded
    assert not loaded & {"scipy", "numba", "sympy", "pint"}


def test_the_public_surface_is_closed() -> None:
    assert sorted(roundtrip.__all__) == roundtrip.__all__
    for name in roundtrip.__all__:
        assert getattr(roundtrip, name) is not None
    assert set(roundtrip._LAZY) | {"__version__"} == set(roundtrip.__all__)
    with pytest.raises(AttributeError, match="no attribute 'forecasts'"):
        roundtrip.forecasts  # noqa: B018


def test_the_public_surface_is_documented() -> None:
    for name in roundtrip.__all__:
        if name != "__version__":
            assert (getattr(roundtrip, name).__doc__ or "").strip()


def test_every_error_belongs_to_the_tree() -> None:
    from roundtrip import errors

    for name, thing in vars(errors).items():
        if isinstance(thing, type) and thing.__module__ == errors.__name__:
            assert issubclass(thing, errors.RoundtripError), name
            assert name in (errors.__doc__ or ""), f"{name} is not in the tree that errors.py draws"
