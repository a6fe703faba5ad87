"""Writes docs/settings.md from the settings themselves."""

from pathlib import Path

from goclaw.settings.describe import SettingInfo, describe, write_value

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"

HEAD = """\
# Settings

<!-- Written by scripts/write_settings_docs.py; change src/goclaw/settings/settings.py, not this page. -->

Values come, later ones winning, from the defaults, `config.yaml` in the state directory (written with comments at the
first start), variables of the environment, and the caller of `goclaw.open_memory(settings={...})`. A variable is
`GOCLAW_` and the key in capitals, with two underscores for each dot: `GOCLAW_MEMORY__SEARCH__MIN_SCORE=0.3`; lists
are separated by commas. `goclaw config show` prints what is in force and where each value comes from. An unknown key
or a wrong value stops the start and names the nearest right key.

Texts may refer to a secret of the vault, `${secret:NAME}`, put there by `goclaw secrets set NAME`. Settings marked
secret are never shown. The vault is `credentials/secrets.enc`, opened by the key file beside it or by
`GOCLAW_VAULT_PASSPHRASE`.

Variables that are no settings: `GOCLAW_STATE_DIR` (the state directory), `GOCLAW_VAULT_PASSPHRASE`, `GOCLAW_URL` and
`GOCLAW_KEY` (the gateway that commands speak to), `GOCLAW_SOAK` (the long tests).

Some keys are read and checked already although what they steer comes in later versions: `memory.search.rerank`,
`.ranker` and `.mmr`, `memory.context_budget_chars`, `memory.consolidate_*`, `memory.graph`, `memory.session`,
`memory.flush`, `memory.revision`, `memory.group`, `tools.wikijs`.
"""


def page() -> str:
    """The whole page: one table a section."""
    lines = [HEAD]
    sections: dict[str, list[SettingInfo]] = {}
    for info in describe():
        sections.setdefault(info.key.rpartition(".")[0], []).append(info)
    for section, infos in sections.items():
        lines += [f"## {section}", "", "| key | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [_row(info) for info in infos]
        lines.append("")
    return "\n".join(lines)


def _row(info: SettingInfo) -> str:
    default = write_value(info.default)
    meaning = f"{info.meaning} Secret." if info.is_secret else info.meaning
    cells = (f"`{info.key}`", info.type, f"`{default}`" if default else "unset", meaning)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
