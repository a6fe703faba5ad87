"""A chunk: the piece of a record's text that search runs on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of text, with its place in the record and its words for the index."""

    ordinal: int  # 0 for the first piece
    start: int  # offsets into the record's content, in characters; content[start:end] is the chunk
    end: int
    text: str
    terms: bytes  # sorted (uint32 hash of the term, uint8 count), little-endian, five bytes each
    structure: bytes  # of text/structure.py
