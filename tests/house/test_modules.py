"""The house itself: every file says what it does, stays small, has a plain name, and knows nothing of one machine."""

import re
import subprocess
from pathlib import Path

import pytest
from scripts import write_architecture

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "goclaw"
MOST_LINES = 450
TABLES = {"storage/schema.py"}  # every table once, in one file: data, which grows with the tables
NOT_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "core", "impl"}
# A concept of the seeds, and the file a reader finds it by.
SEED_TERMS = {
    "scope": "model/scope.py",
    "provenance": "model/provenance.py",
    "use policy": "model/use_policy.py",
    "review": "model/review.py",
    "principal": "model/principal.py",
    "memories": "storage/memories.py",
    "chunker": "text/chunker.py",
    "embedding cache": "storage/embedding_cache.py",
    "fusion": "search/fusion.py",
    "time decay": "search/decay.py",
    "evidence check": "search/evidence_check.py",
    "recall": "recall/recall.py",
    "secret scan": "governance/secret_scan.py",
    "write guard": "governance/write_guard.py",
    "background queue": "ingest/queue.py",
    "audit log": "storage/audit_log.py",
    "forget": "lifecycle/forget.py",
    "schema notes": "ingest/schema_notes.py",
    "secrets": "settings/secrets.py",
    "MCP tools": "gateway/mcp_tools.py",
}


def _modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _texts() -> list[Path]:
    """Every file that belongs to the project and that people wrote, but the data of cases."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no checkout")
    files = [ROOT / name for name in listed.stdout.splitlines()]
    return [file for file in files if file.suffix in {".py", ".md", ".toml", ".yaml", ""} and file.is_file()]


def test_the_first_line_of_every_file_says_what_it_does() -> None:
    silent = [path for path in write_architecture.modules() if not write_architecture.first_line(path)]
    assert silent == []


def test_no_module_is_too_long_to_be_read_at_one_sitting() -> None:
    long = {str(path.relative_to(SOURCE)): len(path.read_text().splitlines()) for path in _modules()}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES and name not in TABLES} == {}


def test_packages_have_no_code_of_their_own() -> None:
    filled = [path for path in SOURCE.rglob("__init__.py") if path.stat().st_size]
    assert filled == [SOURCE / "__init__.py"]


def test_names_say_something() -> None:
    words = {word for path in _modules() for word in re.split(r"[_/]", str(path.relative_to(SOURCE).with_suffix("")))}
    assert words & NOT_NAMES == set()


@pytest.mark.parametrize("term", SEED_TERMS)
def test_terms_of_the_seeds_are_found_by_file_name(term: str) -> None:
    assert (SOURCE / SEED_TERMS[term]).is_file()


def test_nothing_names_a_path_of_the_machine_it_was_written_on() -> None:
    places = [str(ROOT), str(ROOT.parent), str(Path.home())]
    paths = re.compile("|".join(rf"{re.escape(place)}/" for place in places if place.count("/") > 1 or len(place) > 4))
    named = [str(file.relative_to(ROOT)) for file in _texts() if paths.search(file.read_text(encoding="utf-8"))]
    assert named == []
