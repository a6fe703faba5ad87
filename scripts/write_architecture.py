"""Writes docs/architecture.md from the floors in pyproject.toml and the first line of every file."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "goclaw"
PAGE = ROOT / "docs" / "architecture.md"

HEAD = """\
# Architecture

<!-- Written by scripts/write_architecture.py from the first line of every file; change the files, not this page. -->

The house has floors. A file imports from lower floors and from its own package, never from above and never from a
neighbour on its floor; `make check` holds every import against that (`[tool.importlinter]` in pyproject.toml). Upper
floors come first here.

Where a thing is: a singular noun is a shape (`model/record.py`), its plural the table that holds it
(`storage/memories.py`), a verb the deed (`ingest/write.py`). The words are those of the [glossary](glossary.md).

Two walks to read first. One write: `gateway/memory_routes` or `gateway/mcp_tools` → `ingest/write` → `model/access`
(may this principal?) → `governance/write_guard` → `governance/promotion` (how much trust it starts with) → one unit
of work in `storage/database`; later `ingest/worker` → `ingest/embed`. One recall: `recall/recall` → `model/access`
(which namespaces?) → `search/hybrid` → `recall/label` → `recall/trace`.
"""


def page() -> str:
    """The whole page: floors from the top, rooms and their files."""
    lines = [HEAD]
    floors = _floors()
    for number, rooms in zip(range(len(floors), 0, -1), floors, strict=True):
        existing = [room for room in rooms if _files(room)]
        if not existing:
            continue
        lines += [f"## Floor {number}: {', '.join(existing)}", ""]
        for room in existing:
            lines += [f"- `{path.relative_to(SOURCE)}` {first_line(path)}" for path in _files(room)]
        lines.append("")
    return "\n".join(lines)


def first_line(path: Path) -> str:
    """The first line of a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return text.partition("\n")[0] if text else ""


def modules() -> list[Path]:
    """Every file of the package that says something; an empty ``__init__.py`` does not."""
    return sorted(path for path in SOURCE.rglob("*.py") if path.stat().st_size)


def _floors() -> list[list[str]]:
    """The rooms of each floor, the top one first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.findall(r"\w+", layer) for layer in layers]


def _files(room: str) -> list[Path]:
    return [path for path in modules() if path.relative_to(SOURCE).parts[0] in (room, f"{room}.py")]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
