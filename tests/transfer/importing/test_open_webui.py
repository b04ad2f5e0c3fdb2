import time

from tests.transfer.importing.exports import as_file, only_in, turns_of
from transfer.importing.reading import read_entries
from transfer.importing.threads import BrokenEntry, ImportedConversation


def message(key, role, parent=None, **changes):
    given = {"id": key, "parentId": parent, "role": role, "timestamp": 1744577557}
    return {**given, "childrenIds": [], **changes}


def chat_of(*messages, **changes):
    history = {"messages": {each["id"]: each for each in messages}, "currentId": messages[-1]["id"]}
    return {"title": "🎨 Paint", "history": history, "timestamp": 1744577557123, **changes}


def reply_of(text):
    """The conversation of a single reply."""
    return only_in(chat_of(message("a1", "assistant", content=text)))


def test_single_chat_keeps_its_id_when_it_grows():
    first = message("u1", "user", content="Which?")
    short = only_in(chat_of(first, id=""))
    longer = only_in(chat_of(first, message("a1", "assistant", "u1", content="This."), id=""))
    other = only_in(chat_of(message("u9", "user", content="Which?"), id=""))
    assert short.external_id == longer.external_id != other.external_id
    assert short.external_id.startswith("derived-")


def test_files_sources_and_errors_are_separated_from_text():
    pdf = {"type": "file", "name": "paint.pdf", "file": {"data": {"content": "Farrow No. 229"}}}
    source = {"source": {"name": "paint.pdf"}, "document": ["Hallway: 229"]}
    found = chat_of(
        message("u1", "user", content="See.", files=[{"type": "image", "url": "data:"}, pdf]),
        message("a1", "assistant", "u1", content="229.", sources=[source]),
        message("a2", "assistant", "u1", content="", error={"content": "Ollama: 500"}),
    )
    assert turns_of(only_in(found)) == [
        ("user", "", "See.\n[image]\n[file: paint.pdf]"),
        ("tool", "attachment", "Farrow No. 229"),
        ("assistant", "", "229."),
        ("tool", "sources", "paint.pdf\nHallway: 229"),
        ("system", "error", "Ollama: 500"),
    ]


def test_older_format_with_only_a_list_is_read_and_damaged_entries_do_not_affect_others():
    listed = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    broken = {"id": "x", "chat": {"history": {"messages": 5}}}
    good = {"id": "w", "chat": {"messages": listed}, "created_at": 1700000000}
    first, found = read_entries(as_file([broken, good]))
    assert (type(first), type(found)) == (BrokenEntry, ImportedConversation)
    assert turns_of(found) == [("user", "", "hello"), ("assistant", "", "hi")]
    assert found.messages[1].parent_external_id == found.messages[0].external_id


def test_folded_reasoning_and_tool_calls_are_extracted_and_other_details_left_unchanged():
    plain = " a <details><summary>x</summary>b</details>\n"
    assert turns_of(reply_of(plain)) == [("assistant", "", plain)]
    thought = (
        '<details type="reasoning" done="true" duration="4">\n<summary>Thought for 4 seconds'
        "</summary>\n&gt; look at 1 &lt; 2\n&gt; again\n</details>\nNo. 229."
    )
    assert turns_of(reply_of(thought)) == [
        ("system", "reasoning", "look at 1 < 2\nagain"), ("assistant", "", "No. 229."),
    ]  # fmt: skip
    called = (
        'First. <details type="tool_calls" done="true" id="call_1" name="search" '
        'arguments="&quot;{\\&quot;q\\&quot;: \\&quot;é\\&quot;}&quot;" '
        'result="&quot;found&quot;">\n<summary>Tool Executed</summary>\n</details>Then.'
        '<details type="code_interpreter" done="true" output="2">\nprint(1 + 1)\n</details>'
    )
    found = reply_of(called)
    assert turns_of(found) == [
        ("assistant", "", "First."),
        ("assistant", "search", ""),
        ("tool", "search", "found"),
        ("assistant", "", "Then."),
        ("assistant", "code_interpreter", ""),
        ("tool", "code_interpreter", "2"),
    ]
    _, search, result, _, code, _ = found.messages
    assert (search.tool_arguments, search.call_id, result.call_id) == ('{"q": "é"}', "call_1", "call_1")
    assert code.tool_arguments == "print(1 + 1)"


def test_unclosed_details_are_text_and_take_linear_time():
    text = '<details type="reasoning">' * 50_000
    started = time.process_time()
    assert turns_of(reply_of(text)) == [("assistant", "", text)]
    assert time.process_time() - started < 2
