"""What a reply in the making tells of the tools it uses."""

from chat.replies.streaming import LONGEST_NAME, Draft, Tools, tools_from
from llm.types import ToolCall


def test_tools_are_at_work_until_the_next_round() -> None:
    draft = Draft(calls=(ToolCall("1", "recall_memory", "{}"), ToolCall("2", "save_note", "{}")))
    waiting = draft.changed
    draft.use()
    assert waiting.is_set()
    assert draft.tools == Tools((), ("recall_memory", "save_note"))
    draft.turn()
    assert draft.tools == Tools(("recall_memory", "save_note"))
    draft.calls = (ToolCall("3", "recall_memory", "{}"),)
    draft.use()
    draft.turn()
    assert draft.tools.used == ("recall_memory", "save_note", "recall_memory")


def test_a_row_keeps_them_whatever_they_are_called() -> None:
    tools = Tools(("recall_memory",)).begin(["天気\x00", "x" * 300])
    kept = tools_from(tools.as_json())
    assert kept == tools
    assert "\x00" not in kept.using[0]
    assert len(kept.using[1]) == LONGEST_NAME
    assert tools_from({}) == Tools()
