import time

from tests.transfer.importing.exports import as_file, only, turns_of
from transfer.importing.open_webui import split_details
from transfer.importing.reading import read_entries
from transfer.importing.threads import BrokenEntry, ImportedConversation, MessagePart


def message(key, role, parent=None, **changes):
    given = {"id": key, "parentId": parent, "role": role, "timestamp": 1744577557}
    return {**given, "childrenIds": [], **changes}


def chat_of(*messages, **changes):
    history = {"messages": {each["id"]: each for each in messages}, "currentId": messages[-1]["id"]}
    return {"title": "🎨 Paint", "history": history, "timestamp": 1744577557123, **changes}


def read(value):
    return only(as_file(value))


def test_single_chat_keeps_its_id_when_it_grows():
    first = message("u1", "user", content="Which?")
    short = read(chat_of(first, id=""))
    longer = read(chat_of(first, message("a1", "assistant", "u1", content="This."), id=""))
    other = read(chat_of(message("u9", "user", content="Which?"), id=""))
    assert short.external_id == longer.external_id != other.external_id
    assert short.external_id.startswith("derived-")


def test_files_sources_and_errors_are_separated_from_text():
    pdf = {"type": "file", "name": "paint.pdf", "file": {"data": {"content": "Farrow No. 229"}}}
    source = {"source": {"name": "paint.pdf"}, "document": ["Hallway: 229"]}
    found = read(
        chat_of(
            message("u1", "user", content="See.", files=[{"type": "image", "url": "data:"}, pdf]),
            message("a1", "assistant", "u1", content="229.", sources=[source]),
            message("a2", "assistant", "u1", content="", error={"content": "Ollama: 500"}),
        )
    )
    assert turns_of(found) == [
        ("user", "", "See.\n[image]\n[file: paint.pdf]"),
        ("tool", "attachment", "Farrow No. 229"),
        ("assistant", "", "229."),
        ("tool", "sources", "paint.pdf\nHallway: 229"),
        ("system", "error", "Ollama: 500"),
    ]


def test_older_format_with_only_a_list_is_read():
    listed = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    found = read([{"id": "w", "chat": {"messages": listed}, "created_at": 1700000000}])
    assert turns_of(found) == [("user", "", "hello"), ("assistant", "", "hi")]
    assert found.messages[1].parent_external_id == found.messages[0].external_id


def test_damaged_entries_do_not_affect_others():
    broken = {"id": "x", "chat": {"history": {"messages": 5}}}
    good = {"id": "w", "chat": chat_of(message("u1", "user", content="Hi."))}
    first, second = read_entries(as_file([broken, good]))
    assert isinstance(first, BrokenEntry)
    assert isinstance(second, ImportedConversation)


SPEAKER = MessagePart("assistant", model="m")


def pieces(text):
    found = [piece for piece in split_details(text, SPEAKER) if piece.has_content]
    return [(piece.role, piece.tool_name, piece.content) for piece in found]


def test_reasoning_details_are_extracted_and_others_left_unchanged():
    plain = " a <details><summary>x</summary>b</details>\n"
    assert pieces(plain) == [("assistant", "", plain)]
    text = (
        '<details type="reasoning" done="true" duration="4">\n<summary>Thought for 4 seconds'
        "</summary>\n&gt; look at 1 &lt; 2\n&gt; again\n</details>\nNo. 229."
    )
    assert pieces(text) == [("system", "reasoning", "look at 1 < 2\nagain"), ("assistant", "", "No. 229.")]


def test_tool_calls_are_extracted_with_arguments_and_result():
    text = (
        'First. <details type="tool_calls" done="true" id="call_1" name="search" '
        'arguments="&quot;{\\&quot;q\\&quot;: \\&quot;é\\&quot;}&quot;" '
        'result="&quot;found&quot;">\n<summary>Tool Executed</summary>\n</details>Then.'
    )
    first, call, result, then = split_details(text, SPEAKER)
    assert (first.content, then.content) == ("First.", "Then.")
    assert (call.tool_name, call.tool_arguments, call.call_id) == ("search", '{"q": "é"}', "call_1")
    assert (result.role, result.content, result.call_id) == ("tool", "found", "call_1")
    text = '<details type="code_interpreter" done="true" output="2">\nprint(1 + 1)\n</details>'
    _, call, result, _ = split_details(text, SPEAKER)
    assert (call.tool_name, call.tool_arguments) == ("code_interpreter", "print(1 + 1)")
    assert result.content == "2"


def test_unclosed_details_are_text_and_take_linear_time():
    text = '<details type="reasoning">' * 50_000
    started = time.process_time()
    assert pieces(text) == [("assistant", "", text)]
    assert time.process_time() - started < 2
