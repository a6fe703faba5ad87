"""Lifecycle: whether a record is alive, and if not, what became of it. "Live" in the seeds means ``active``."""

from enum import StrEnum


class Lifecycle(StrEnum):
    ACTIVE = "active"
    STALE = "stale"  # may no longer be true; a confirmation revives it
    SUPERSEDED = "superseded"  # a newer record replaced it
    DISPUTED = "disputed"  # conflicts with another record
    MERGED = "merged"  # gave way to a record that says the same
    REJECTED = "rejected"  # a human refused it
    EXPIRED = "expired"  # its time ran out
