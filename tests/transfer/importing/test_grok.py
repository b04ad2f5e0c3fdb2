from tests.transfer.importing.exports import FIXTURES
from transfer.importing.reading import detect, read_entries
from transfer.importing.threads import BrokenEntry

EXPORT = FIXTURES.parent / "grok" / "prod-grok-backend.json"


def turns_of(chat):
    return [(each.external_id, each.role, each.tool_name, each.content) for each in chat.messages]


def test_branches_tools_thoughts_and_errors_are_separated():
    assert detect(EXPORT).name == "Grok"
    ferry, private, empty, broken = read_entries(EXPORT)
    page = "Ferry\nhttps://example.org/ferry\nAnimals travel free."
    assert turns_of(ferry) == [
        ("r1", "user", "", "I keep two goats. How do I get them to Fehmarn?\n[file]"),
        ("r2", "system", "thinking", "Goats need a trailer."),
        ("r2/2", "system", "thinking", "Searching"),
        ("r2/3", "assistant", "web_search", ""),
        ("r2/4", "tool", "web_search", page),
        ("r2/5", "assistant", "", "By ferry. Book early."),
        ("r2/6", "tool", "sources", page),
        ("r4", "user", "", "Draw them."),
        ("r5", "assistant", "", "[image: two goats on a ferry]"),
        ("r5/3", "system", "error", "Failed to respond."),
        ("r3", "assistant", "", "By bridge."),
    ]
    call, result = ferry.messages[3:5]
    assert (call.tool_arguments, call.call_id) == ('{"query":"Fehmarn ferry"}', result.call_id)
    assert (ferry.title, ferry.current_leaf, ferry.mine) == ("Ferry to Fehmarn", "r4", True)
    assert ferry.messages[0].said_at.isoformat() == "2024-01-15T09:50:01+00:00"
    assert (private.mine, private.messages[1].parent_external_id) == (False, "p1")
    assert not empty.messages
    assert isinstance(broken, BrokenEntry)
    assert "entry 4 (“Not a conversation”)" in broken.where
