"""Conversations: recorded turn by turn, trimmed without losing a word, summarised, archived, forgotten."""
