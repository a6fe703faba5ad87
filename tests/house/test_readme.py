"""The example of the README runs as it stands there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOCLAW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("GOCLAW_MEMORY__SEARCH__PROVIDER", "none")
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})
    shown = capsys.readouterr().out
    assert "Prefers metric units False" in shown
    assert "'memories': 1" in shown
