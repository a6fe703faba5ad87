"""Main: help stays quick, errors stay readable."""

import json
import subprocess
import sys

import pytest

from goclaw.cli import main

HEAVY = ("numpy", "sqlalchemy", "fastapi", "mcp", "openai", "onnxruntime", "uvicorn", "httpx2", "cryptography")
PRINT_HELP = """
import sys
sys.argv = ["goclaw", *sys.argv[1:]]
from goclaw.cli.main import run
try:
    run()
except SystemExit as done:
    assert not done.code, done.code
print([name for name in {heavy!r} if name in sys.modules])
"""


@pytest.mark.parametrize("words", [[], ["memory"], ["keys"], ["serve"], ["memory", "search"]])
def test_help_imports_no_heavy_library(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT_HELP.format(heavy=HEAVY), *words, "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def _run(monkeypatch: pytest.MonkeyPatch, error: BaseException, *words: str) -> int | str | None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(main, "app", fail)
    monkeypatch.setattr(sys, "argv", ["goclaw", *words])
    with pytest.raises(SystemExit) as stop:
        main.run()
    return stop.value.code


def test_an_unexpected_error_shows_its_kind_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, KeyError("the text of a memory"), "--json") == 1
    out, err = capsys.readouterr()
    assert "KeyError" in err
    assert "Traceback" not in out + err
    assert "the text of a memory" not in out + err
    assert json.loads(out)["code"] == "error"


def test_debug_lets_an_unexpected_error_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("x")

    monkeypatch.setattr(main, "app", fail)
    monkeypatch.setattr(sys, "argv", ["goclaw", "--debug"])
    with pytest.raises(KeyError):
        main.run()


def test_an_interrupt_is_no_error_of_ours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "Stopped.\n"
