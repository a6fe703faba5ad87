"""Forgotten words do not come back as the words of somebody else, unless a person writes them by own hand."""

import itertools

import pytest

from goclaw.model.errors import Conflict
from tests.flows.people import IMPORT, RITA

PLACE = {"scope": "agent_notes", "project_id": "apollo"}
NAMES = (None, "Jonas", "Priya")


def said(memory, who, speaker):
    return memory.write(who, "The old crane is for sale", speaker=speaker, **PLACE)


@pytest.mark.parametrize(("first", "then"), list(itertools.product(NAMES, NAMES)))
def test_an_import_does_not_bring_them_back(memory, first, then):
    memory.forget(RITA, said(memory, RITA, first).id)
    with pytest.raises(Conflict):
        said(memory, IMPORT, then)
    assert said(memory, RITA, then).speaker == then


def test_what_another_said_and_is_remembered_may_be_said_again(memory):
    gone, stays = said(memory, RITA, "Jonas"), said(memory, RITA, "Priya")
    memory.forget(RITA, gone.id)
    assert said(memory, IMPORT, "Priya").id == stays.id


def test_the_same_words_of_two_may_both_be_forgotten(memory):
    for record in (said(memory, RITA, "Jonas"), said(memory, RITA, "Priya")):
        memory.forget(RITA, record.id)
    with pytest.raises(Conflict):
        said(memory, IMPORT, "Zoe")
