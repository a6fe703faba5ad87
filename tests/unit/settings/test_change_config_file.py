"""One setting is put into config.yaml in place; comments and everything else stay, or nothing is changed."""

from pathlib import Path

import pytest

from goclaw.model.errors import SettingsError
from goclaw.settings.config_file import change_config_file, read_config_file, with_setting
from goclaw.settings.describe import template

KEY = "governance.review_owner"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def test_the_commented_line_of_a_first_start_becomes_the_setting() -> None:
    before, after = template().splitlines(), with_setting(template(), KEY, "rita").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed == [("  #review_owner:", '  review_owner: "rita"')]


@pytest.mark.parametrize(
    "text",
    [
        template(),
        "",
        "server:\n  port: 8800\n",
        "governance:\n  pending_days: 30\n\n# the end\n",
        "governance:\n    pending_days: 30\n    guard:\n        large_code: flag\nserver:\n    port: 8800\n",
        "governance:\n  review_owner: bob  # since May\n  pending_days: 30\n",
        "governance.review_owner: bob\nserver.port: 8800\n",
        "governance:\n# review_owner: nobody\n  four_eyes: true\n",
    ],
)
@pytest.mark.parametrize("owner", ["rita", "true", "007", "Ünal: #1 \"x\" 'y'"])
def test_only_the_one_setting_changes(file: Path, text: str, owner: str) -> None:
    file.write_text(text, encoding="utf-8")
    before = read_config_file(file)
    change_config_file(file, KEY, owner)
    assert read_config_file(file) == before | {KEY: owner}
    assert file.stat().st_mode & 0o777 == 0o600
    change_config_file(file, KEY, "carol")
    assert read_config_file(file) == before | {KEY: "carol"}


@pytest.mark.parametrize("text", ["governance: {pending_days: 30}\n", "? governance\n: {pending_days: 3}\n"])
def test_what_cannot_be_changed_safely_is_left_as_it_is(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError, match="by hand"):
        change_config_file(file, KEY, "rita")
    assert file.read_text() == text
