"""Memory, offline: check, migrate and backup open the store directly, beside a gateway or without one."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goclaw.cli.output import FAILED, AsJson, emit, note, say, show_table
from goclaw.model.errors import Conflict, InvalidInput, NotFound, StoreDamaged

if TYPE_CHECKING:
    from goclaw.settings.load import LoadedSettings
    from goclaw.storage.integrity import Finding


def check(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Where the file itself is damaged: set it aside and put the newest backup in its place. "
            "Stop the gateway first.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for orphans, wrong counts, missing vectors, a drifted schema and damage; 1 where something is left."""
    from goclaw.settings.load import load_settings
    from goclaw.storage.backup import newest_backup

    loaded = load_settings()
    found, mended = _examine(fix)
    restored = None
    if restore:
        if not any(finding.name == "damaged_file" for finding in found):
            raise Conflict("The file of the store is not damaged.", "Nothing was put in its place.")
        restored = _restore(loaded)
        found, mended = _examine(fix)
    left = [finding for finding in found if finding.name not in {each.name for each in mended}]
    newest = newest_backup(loaded.paths.backups)
    if as_json:
        emit(
            {
                "ok": not left,
                "found": [_document(finding) for finding in found],
                "mended": [finding.name for finding in mended],
                "restored_from": restored.name if restored else None,
                "newest_backup": newest.name if newest else None,
            }
        )
    else:
        _show(found, mended, left, newest)
    if left:
        raise typer.Exit(FAILED)


def migrate(as_json: AsJson = False) -> None:
    """Bring the store to this goclaw's schema; an older SQLite file is first copied to the folder backups."""
    from goclaw.cli.store import open_store
    from goclaw.model.clock import SystemClock
    from goclaw.settings.load import load_settings
    from goclaw.storage.backup import make_backup
    from goclaw.storage.open import open_unchanged

    loaded = load_settings()
    before = open_unchanged(loaded.unlock().database, loaded.paths.state_dir)
    copy = None
    if before is not None:
        try:
            if before.revision != before.head:
                copy = make_backup(before.database, loaded.paths.backups, SystemClock().now())
        finally:
            before.database.close()
    with open_store():
        pass  # opening a store is what brings it up to date
    changed = before is not None and before.revision != before.head
    if as_json:
        emit(
            {
                "from": before.revision if before else None,
                "to": before.head if before else None,
                "changed": changed,
                "backup": str(copy) if copy else None,
            }
        )
    elif before is not None and changed:
        say(f"The store went from schema {before.revision} to {before.head}. Its copy: {copy}")
    else:
        say("The store has this goclaw's schema; nothing was to do.")


def backup(as_json: AsJson = False) -> None:
    """Copy the store to the folder backups while others go on working."""
    from goclaw.cli.store import open_store
    from goclaw.storage.backup import make_backup

    with open_store() as store:
        copy = make_backup(store.database, store.loaded.paths.backups, store.clock.now())
    size = copy.stat().st_size
    if as_json:
        emit({"file": str(copy), "bytes": size})
    else:
        say(f"{copy} ({size:,} bytes)")


def _examine(fix: bool) -> "tuple[list[Finding], list[Finding]]":
    """What is wrong, and what of it was mended."""
    from goclaw.cli.store import open_store
    from goclaw.ingest.embedding_queue import ask_for_vectors
    from goclaw.storage.integrity import Finding, mend
    from goclaw.storage.integrity import check as look

    try:
        with open_store() as store:
            found = look(store.database)
            if not fix or not any(finding.is_mendable for finding in found):
                return found, []
            mended = mend(store.database)
            if any(finding.name == "missing_vectors" for finding in mended):
                store.database.write(lambda unit: ask_for_vectors(unit, store.clock.now()))
            return found, mended
    except StoreDamaged as error:
        return [Finding("damaged_file", 1, (error.message,), False)], []


def _restore(loaded: "LoadedSettings") -> Path:
    """Put the newest backup in the place of the store's file, which is kept under another name."""
    from goclaw.model.clock import SystemClock
    from goclaw.storage.backup import newest_backup
    from goclaw.storage.integrity import set_aside

    settings = loaded.settings.database
    if settings.driver != "sqlite":
        raise InvalidInput(f"goclaw keeps no backups of {settings.driver}.", "Use the server's own tools.")
    newest = newest_backup(loaded.paths.backups)
    if newest is None:
        raise NotFound("There is no backup.", "Nothing was changed.")
    file = loaded.paths.inside(settings.path, loaded.paths.database)
    if file.exists():
        note(f"The damaged file is kept as {set_aside(file, SystemClock().now()).name}.")
    shutil.copyfile(newest, file)
    file.chmod(0o600)
    return newest


def _show(found: "list[Finding]", mended: "list[Finding]", left: "list[Finding]", newest: Path | None) -> None:
    done = {finding.name for finding in mended}
    rows = [
        (
            finding.name.replace("_", " "),
            finding.count,
            "mended" if finding.name in done else "can be mended" if finding.is_mendable else "needs a person",
            finding.examples,
        )
        for finding in found
    ]
    show_table(("what", "how many", "state", "for example"), rows, "Nothing is wrong with the store.")
    if any(finding.is_mendable for finding in left):
        note("Mend what can be mended: goclaw memory check --fix")
    if any(finding.name == "damaged_file" for finding in left):
        way = f"Stop the gateway, then: goclaw memory check --restore (takes {newest.name})." if newest else ""
        note(way or "There is no backup to go back to. Delete nothing: much can often be read from what is left.")


def _document(finding: "Finding") -> dict[str, object]:
    return {
        "name": finding.name,
        "count": finding.count,
        "examples": finding.examples,
        "is_mendable": finding.is_mendable,
    }
