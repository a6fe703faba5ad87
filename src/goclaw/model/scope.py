"""Scope: what class of memory a record is, and so who may write and read it (the first seed's table)."""

from enum import StrEnum


class Scope(StrEnum):
    """The four scopes ``memory_write`` accepts, and the three that goclaw writes itself."""

    PERSONAL = "personal"  # user preferences, custom facts: only that user reads it
    AGENT_NOTES = "agent_notes"  # organization knowledge: all users and agents read it
    GLOBAL = "global"  # shared team guidelines and standard values: all users and agents read it
    AGENT_CONFIG = "agent_config"  # core settings that modify agent behaviour: the prompt injector reads it
    WIKI = "wiki"  # the searchable copy of org wiki pages
    WIKIJS = "wikijs"  # copies of Wiki.js pages
    DB_CACHE = "db_cache"  # schema notes from db_analyze and db_enrich


WRITABLE_SCOPES = (Scope.PERSONAL, Scope.AGENT_NOTES, Scope.GLOBAL, Scope.AGENT_CONFIG)
SYSTEM_SCOPES = (Scope.WIKI, Scope.WIKIJS, Scope.DB_CACHE)
# Age says nothing about truth here, so these do not fade in search (engine.md 2.4).
EVERGREEN_SCOPES = frozenset({Scope.AGENT_CONFIG, *SYSTEM_SCOPES})
