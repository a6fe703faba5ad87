"""The case files under tests/cases are the shared ones, byte for byte, wherever both are at hand."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "cases"
COPIES = ROOT / "tests" / "cases"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases do not lie beside this checkout")
def test_every_shared_case_file_is_copied_unchanged() -> None:
    shared = {path.name: path.read_bytes() for path in SHARED.iterdir() if path.is_file()}
    copied = {name: (COPIES / name).read_bytes() for name in shared if (COPIES / name).is_file()}
    assert sorted(shared) == sorted(copied)
    assert [name for name in shared if shared[name] != copied[name]] == []
