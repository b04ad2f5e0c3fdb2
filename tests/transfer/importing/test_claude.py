"""Exports of Claude.ai, and sessions of Claude Code, which consist of the same blocks."""

import json

import pytest

from tests.transfer.importing.exports import as_file, as_zip, loaded, only, only_in, turns_of
from transfer.importing import claude_code
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


def line(key, kind, content, parent=None, **changes):
    message = {"role": kind, "content": content, **changes.pop("message", {})}
    place = {"sessionId": "s-1", "cwd": "/home/ann/spotter", "timestamp": "2026-02-10T21:11:56.846Z"}
    given = {"type": kind, "uuid": key, "parentUuid": parent, **place}
    return {**given, "message": message, **changes}


def reply(key, parent, block):
    return line(key, "assistant", [block], parent, message={"id": "t1", "model": "m"})


def written(*lines):
    texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
    return "\n".join(texts).encode()


def entries_of(*lines):
    return list(read_entries(as_file(written(*lines))))


def chain(chat):
    """The contents from the leaf up to the start."""
    by_id = {each.external_id: each for each in chat.messages}
    found, at = [], chat.current_leaf
    while at:
        found.append(by_id[at].content or by_id[at].tool_arguments)
        at = by_id[at].parent_external_id
    return found[::-1]


def test_session_becomes_a_conversation_with_its_folder_as_project():
    chat, helper = entries_of(
        {"type": "file-history-snapshot", "messageId": "x"},
        line("u1", "user", "It does not start."),
        {**line("p1", "progress", None, "u1"), "message": None},
        reply("a1", "p1", {"type": "thinking", "thinking": "Hm."}),
        reply("a2", "a1", {"type": "text", "text": "Let me look."}),
        line("h1", "user", "Find the file.", isSidechain=True, agentId="7"),
        {"type": "summary", "summary": "Server does not start", "leafUuid": "a2"},
    )
    assert (chat.external_id, chat.title, chat.project) == ("s-1", "Server does not start", "spotter")
    assert [(each.role, each.tool_name, each.model) for each in chat.messages] == [
        ("user", "", ""), ("system", "thinking", "m"), ("assistant", "", "m"),
    ]  # fmt: skip
    assert chain(chat) == ["It does not start.", "Hm.", "Let me look."]
    assert (helper.external_id, chat.mine, helper.mine) == ("s-1/7", True, False), "a subagent"
    assert turns_of(helper) == [("assistant", "", "Find the file.")]


@pytest.mark.parametrize(
    "words",
    [
        "<command-name>/model</command-name>",
        "<local-command-stdout>Kept</local-command-stdout>",
        "<system-reminder>Be good.</system-reminder>",
        "[Request interrupted by user for tool use]",
        "Caveat: The messages below were generated by the user while running local commands.",
    ],
)
def test_generated_user_messages_become_system_messages(words):
    chat = only_in(written(line("u1", "user", [{"type": "text", "text": words}, "Hello."])))
    assert turns_of(chat) == [("system", "machinery", words), ("user", "", "Hello.")]


def test_compaction_summary_is_not_attributed_to_the_user():
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s-1"}
    chat = only_in(
        written(
            line("u1", "user", "Go."),
            {**boundary, "parentUuid": None, "logicalParentUuid": "u1", "content": "Compacted"},
            line("u2", "user", "This session is continued.", "b", isCompactSummary=True),
            line("u3", "user", "Caveat", "u2", isMeta=True),
        )
    )
    assert [each.role for each in chat.messages] == ["user", "system", "system", "system"]
    assert chain(chat)[0] == "Go."


def test_broken_lines_are_reported_and_repeated_ones_imported_once():
    entries = entries_of(
        line("u1", "user", "One."),
        "not json",
        '"a text"',
        {"silly": "this"},
        {**line("u2", "user", ""), "message": {"contenst": []}},
        line("u1", "user", "One."),
        line("u3", "user", "Two.", "gone"),
        line("u1", "user", "Other."),
        '{"type": "user", "sessionId": "s", "x": ' + "[" * 400 + "]" * 400 + "}",
        '{"type": "user", "x": ' + "[" * 100_000,
        '{"type": "user", "cut',
    )
    broken = {entry.where: entry.reason for entry in entries if isinstance(entry, BrokenEntry)}
    assert list(broken) == [f"line {number}" for number in (2, 3, 4, 5, 9, 10, 11)]
    assert broken["line 9"] == "It is nested more than 200 levels deep."
    [chat] = [entry for entry in entries if isinstance(entry, ImportedConversation)]
    assert [(each.external_id, each.content) for each in chat.messages] == [
        ("u1", "One."), ("u3", "Two."), ("u1#2", "Other."),
    ]  # fmt: skip


def test_large_session_is_read_in_parts(monkeypatch):
    monkeypatch.setattr(claude_code, "_MAX_BUFFERED", 2)
    lines = [line(f"u{n}", "user", f"{n}", f"u{n - 1}" if n else None) for n in range(5)]
    parts = entries_of(*lines)
    assert [(part.external_id, part.continues, len(part.messages)) for part in parts] == [
        ("s-1", False, 2), ("s-1", True, 2), ("s-1", True, 1),
    ]  # fmt: skip
    assert parts[1].messages[0].parent_external_id == "u1"
