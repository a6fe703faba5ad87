"""Figures of calls and tokens."""

from concurrent.futures import ThreadPoolExecutor

from goclaw.llm.provider import Usage
from goclaw.llm.usage import ModelFigures, ModelUsage


def test_calls_are_counted_by_purpose_and_model() -> None:
    usage = ModelUsage()
    assert usage.figures() == ()
    usage.count_reply("chat", "a", Usage(10, 2, 1))
    usage.count_reply("chat", "a", Usage(5, 1, 0))
    usage.count_failure("chat", "a", Usage(1, 1))
    usage.count_failure("background", "a", Usage())
    usage.count_reply("chat", "b", Usage())
    assert usage.figures() == (
        ModelFigures("chat", "a", 3, 1, Usage(16, 4, 1)),
        ModelFigures("background", "a", 1, 1, Usage()),
        ModelFigures("chat", "b", 1, 0, Usage()),
    )


def test_no_call_is_lost_between_threads() -> None:
    usage = ModelUsage()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(400):
            pool.submit(usage.count_reply, "chat", "a", Usage(1, 1))
    assert usage.figures() == (ModelFigures("chat", "a", 400, 0, Usage(400, 400)),)
