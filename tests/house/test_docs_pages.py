"""The pages of docs/ are complete and current: commands, settings, files, links."""

import re
import shlex
from pathlib import Path

import pytest
from scripts import write_architecture, write_cli_docs, write_detector_docs, write_settings_docs

from goclaw.settings.describe import describe

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
SCRIPTS = (write_architecture, write_cli_docs, write_detector_docs, write_settings_docs)
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@pytest.mark.parametrize(
    "script",
    [write_architecture, write_cli_docs, write_detector_docs, write_settings_docs],
    ids=lambda each: each.__name__,
)
def test_a_written_page_is_what_its_script_writes_today(script) -> None:  # type: ignore[no-untyped-def]
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run `make docs`"


def test_every_command_says_what_it_does_and_takes_json() -> None:
    for name, command in write_cli_docs.commands():
        assert command.help, name
        assert any("--json" in parameter.opts for parameter in command.params), name
        assert all(parameter.help or parameter.name == "help" for parameter in command.params), name


def test_examples_are_of_commands_that_exist() -> None:
    names = [name for name, _ in write_cli_docs.commands()]
    assert set(write_cli_docs.EXAMPLES) == set(names)
    for name, example in write_cli_docs.EXAMPLES.items():
        words = shlex.split(example)
        assert words[words.index("goclaw") + 1 :][: len(name.split())] == name.split()


def test_every_setting_has_a_meaning_and_a_line() -> None:
    page = write_settings_docs.PAGE.read_text(encoding="utf-8")
    for info in describe():
        assert info.meaning.endswith("."), info.key
        assert f"| `{info.key}` |" in page


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in DOCS.glob("*.md") if page.name != "README.md" and f"({page.name})" not in index]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_command_that_a_page_shows_exists() -> None:
    known = {tuple(name.split()) for name, _ in write_cli_docs.commands()}
    groups = {name[:size] for name in known for size in range(1, len(name))}
    for page in PAGES:
        for line in re.findall(r"`goclaw ([^`]+)`|^(?:\S+=\S+ )*goclaw (.+)$", page.read_text(), re.MULTILINE):
            words = (line[0] or line[1]).split()
            is_command = any(tuple(words[:size]) in known for size in range(1, len(words) + 1))
            assert words[0].startswith("-") or is_command or tuple(words) in groups, (page.name, words)
