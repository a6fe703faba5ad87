"""The shapes that models share."""

import pytest

from goclaw.llm.provider import ChatMessage, ChatRequest, ToolCall, Usage, clean_text, count_usage, estimate_usage


def test_usages_add_up() -> None:
    assert Usage(1, 2, 3) + Usage(10, 20, 30) == Usage(11, 22, 33)
    assert Usage(1, 2, 3).total_tokens == 3


def test_without_a_count_four_characters_are_a_token() -> None:
    call = ToolCall("i", "abcd", '{"a"')
    request = ChatRequest((ChatMessage("user", "12345"), ChatMessage("assistant", "", (call,))))
    assert estimate_usage(request, "123") == Usage(4, 1)
    assert estimate_usage(ChatRequest(()), "") == Usage()


@pytest.mark.parametrize("wrong", [None, "7", -1, 7.5, 10**400])
def test_what_is_no_count_is_none(wrong: object) -> None:
    assert count_usage(1, 2, 0) == Usage(1, 2, 0)
    assert count_usage(wrong, 2, 0) is count_usage(1, wrong, 0) is count_usage(1, 2, wrong) is None


def test_only_what_utf8_cannot_carry_is_replaced() -> None:
    assert clean_text("Ü 世界 🙂 \ud83d") == "Ü 世界 🙂 ?"
