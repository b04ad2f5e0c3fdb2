import pytest

from tests.transfer.importing.exports import as_file, as_zip, loaded, only, only_in, turns_of
from transfer.importing.claude import Speaker, parts_of, result_text
from transfer.importing.reading import read_entries
from transfer.importing.threads import UNKNOWN_AUTHOR, UNREADABLE_MESSAGE, BrokenEntry, ImportedConversation

TOP = "00000000-0000-4000-8000-000000000000"
TRIPS = {"uuid": "p-1", "name": "Trips", "docs": [], "prompt_template": "Be brief."}


def message(key, sender, parent=TOP, **changes):
    given = {"uuid": key, "sender": sender, "created_at": "2026-03-20T13:00:00.5+02:00"}
    return {**given, "parent_message_uuid": parent, **changes}


def text(words):
    return {"type": "text", "text": words, "citations": []}


def export(*messages, **changes):
    return {"uuid": "c-1", "name": "Tromsø", "chat_messages": list(messages), **changes}


def test_project_names_are_read_from_another_file():
    first = as_zip({"conversations.json": [export(message("m-1", "human", text="Hi."), project_uuid="p-1")]})
    second = as_zip({"conversations.json": [], "projects.json": [TRIPS]})
    assert only((first, second)).project == "Trips"


QUESTION = {
    "content": [text("How cold is it?")],
    "attachments": [{"file_name": "notes.txt", "extracted_content": "Flight at 07:10."}],
    "files": [{"file_name": "map.png"}],
}
FOUND = [{"type": "knowledge", "title": "Climate", "url": "https://a.example", "text": "-4 °C"}]
ANSWER = [
    {"type": "thinking", "thinking": "Look it up.", "signature": "x"},
    text("I look."),
    {"type": "tool_use", "id": "t-1", "name": "web_search", "input": {"q": "Wetter für Köln"}},
    {"type": "tool_result", "tool_use_id": "t-1", "name": "web_search", "content": FOUND},
    text("Minus four."),
    {"type": "token_budget"},
]


def test_thoughts_text_calls_results_and_attachments_keep_their_order():
    messages = (
        message("m1", "human", **QUESTION),
        message("m2", "assistant", "m1", content=ANSWER),
        message("m3", "human", "m2", text=None, content=[]),
        message("m4", "human", "m3", content=[text("Good.")]),
    )
    chat = only_in([export(*messages)])
    assert turns_of(chat) == [
        ("user", "", "How cold is it?\n[file: notes.txt]\n[image: map.png]"),
        ("tool", "attachment", "Flight at 07:10."),
        ("system", "thinking", "Look it up."),
        ("assistant", "", "I look."),
        ("assistant", "web_search", ""),
        ("tool", "web_search", "Climate\nhttps://a.example\n-4 °C"),
        ("assistant", "", "Minus four."),
        ("user", "", "Good."),
    ]
    calling, result = chat.messages[4:6]
    assert calling.tool_arguments == '{"q":"Wetter für Köln"}'
    assert calling.call_id == result.call_id == "t-1"
    ids = [each.external_id for each in chat.messages]
    assert " ".join(ids) == "m1 m1/2 m2 m2/2 m2/3 m2/4 m2/5 m4"
    assert [each.parent_external_id for each in chat.messages] == [None, *ids[:-1]]
    assert chat.messages[0].said_at.isoformat() == "2026-03-20T11:00:00.500000+00:00"


def test_damaged_entries_do_not_affect_others():
    damaged = message("m", "nobody", content=["plain", {"type": "new", "x": 1}])
    chat, broken = read_entries(as_file([export("nonsense", damaged), {"uuid": "x", "chat_messages": 5}]))
    assert (type(chat), type(broken)) == (ImportedConversation, BrokenEntry)
    assert turns_of(chat) == [("assistant", "", "plain"), ("system", "new", '{"type":"new","x":1}')]
    assert set(chat.repairs) == {UNKNOWN_AUTHOR, UNREADABLE_MESSAGE}


USER = Speaker("user")
DOCUMENT = {"type": "document", "title": "a.txt", "source": {"type": "text", "data": "Words."}}


@pytest.mark.parametrize(
    ("content", "pieces"),
    [
        ([text("A"), "B", {"type": "image"}], [("user", "", "A\nB\n[image]", "", "")]),
        ([DOCUMENT], [("user", "", "[file: a.txt]\nWords.", "", "")]),
        ([None, 5, {}, {"type": "redacted_thinking", "data": "x"}], []),
        (
            {"type": "server_tool_use", "id": "i", "name": "n", "input": {}},
            [("assistant", "n", "", "{}", "i")],
        ),
        ({"type": "tool_use", "input": "raw"}, [("assistant", "tool", "", "raw", "")]),
    ],
    ids=["side by side", "a document", "odd ones", "a call", "a raw call"],
)
def test_blocks_become_messages(content, pieces):
    assert [
        (piece.role, piece.tool_name, piece.content, piece.tool_arguments, piece.call_id)
        for piece in parts_of(loaded(content), USER)
    ] == pieces


def test_results_become_text():
    assert (result_text("plain"), result_text(None)) == ("plain", "")
    assert result_text(loaded([text("a"), {"type": "image"}, "b"])) == "a\n[image]\nb"
    assert result_text(loaded({"type": "error", "error_code": 5})) == '{"type":"error","error_code":5}'
    speaker = Speaker("user", read=lambda text: None if text == "Hi." else parts_of("x", USER)[0])
    assert [piece.content for piece in parts_of(["Hi.", "<odd>"], speaker)] == ["Hi.\nx"]
