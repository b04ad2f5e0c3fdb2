"""Recognising and reading exports of any product, and previewing them."""

import json
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.cases import json_cases
from tests.chat.ledger import chat
from tests.transfer.importing.exports import FIXTURES, as_file, as_zip, conversation, loaded, node, said
from transfer.importing.archives import FileRefused
from transfer.importing.reading import detect, product_of, read_entries, recognise, summarise
from transfer.importing.threads import BrokenEntry, moment

GOOD = json.dumps(conversation("Good")).encode()


def titles(entries):
    return [getattr(entry, "title", None) for entry in entries]


def refusal(source):
    with pytest.raises(FileRefused) as refused:
        next(read_entries(source))
    with pytest.raises(FileRefused, match=str(refused.value).replace("(", r"\(")):
        detect(source)
    return str(refused.value)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([conversation()], ["Boats"]),
        (conversation("Alone"), ["Alone"]),
        ({"conversations": [conversation("A"), 5, conversation("B")]}, ["A", None, "B"]),
        (b'{"conversations": [' + GOOD + b", [nope], " + GOOD + b"]}", ["Good", None, "Good"]),
        ([None, {"x": 1}, conversation("C")], [None, None, "C"]),
    ],
)
def test_lists_single_chats_and_wrapped_lists_are_read_again_and_again(value, wanted):
    upload = as_file(value)
    assert detect(upload).name == "ChatGPT"
    assert titles(read_entries(upload)) == titles(read_entries(upload)) == wanted


def test_damage_affects_only_its_own_entry():
    entries = list(read_entries(FIXTURES / "damaged.json"))
    broken = {entry.where: entry.reason for entry in entries if isinstance(entry, BrokenEntry)}
    rest = ["Broken inside", None, "After"]
    assert titles(entries) == ["Before", "Half a character", *[None] * 6, *rest]
    assert list(broken) == [
        "damaged.json entry 3 (“Raw rubbish”)",
        "damaged.json entry 4 (“A missing value”)",
        "damaged.json entry 5 (“No messages at all”)",
        "damaged.json entry 6 (“Messages of a wrong kind”)",
        "damaged.json entry 7",
        "damaged.json entry 8",
        "damaged.json entry 10 (“Deep”)",
    ]
    assert next(iter(broken.values())) == "It is not encoded as UTF-8, so it cannot be read."
    assert list(broken.values())[-1] == "It is nested more than 200 levels deep."
    assert entries[1].messages[0].content == "x\ud800y\x00z \udc00"
    inside = entries[8]
    words = [message.content for message in inside.messages]
    assert words == ["Same key again", "Whose words?"]
    assert len(inside.repairs) == 3


def test_long_or_unprintable_title_is_shortened_in_the_report_and_an_unreadable_one_left_out():
    odd = [conversation(), {"title": "Ça " * 100}, {"title": "nul\x00 \ud800"}, {"title": "café"}]
    data = json.dumps(odd).encode().replace(b"caf\\u00e9", b"caf\xe9")
    _, long, unprintable, unreadable = read_entries(as_file(data))
    assert long.where.startswith("entry 2 (“Ça Ça ")
    assert long.where.endswith("…”)")
    assert len(long.where) < 100
    assert unprintable.where == "entry 3 (“nul\ufffd \ufffd”)"
    assert (unreadable.where, "not encoded as UTF-8" in unreadable.reason) == ("entry 4", True)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (as_file({"name": "package", "version": 1}), "not an export of chats"),
        (as_file([1, 2, 3]), "not an export of chats"),
        (as_file([]), "no conversation"),
        (as_zip({"conversations.json": []}), "no conversation"),
        (as_file(b"[nope]"), "not valid JSON"),
        (as_zip({"manifest.json": {"format": "palace-export"}, "data/a.jsonl": {}}), "Export and restore"),
    ],
)
def test_json_that_is_not_an_export_is_refused(source, sentence):
    assert sentence in refusal(source)


def test_saved_memories_and_entries_of_several_sources_are_told_apart():
    chats = [conversation()]
    beside = as_zip({"conversations.json": chats, "memories.json": [{"conversations_memory": "Tea"}]})
    zips = [as_zip({"conversations.json": value}) for value in (chats, b"[nope]")]
    for sources, where in (
        (beside, "memories.json"),
        ((as_file(chats), as_file(b"[nope]")), "file 2, entry 1"),
        (tuple(zips), "file 2, conversations.json entry 1"),
    ):
        _, broken = read_entries(sources)
        assert broken.where == where


def test_files_of_several_products_are_a_mixed_export():
    chatgpt, claude = as_file([conversation()]), as_file([{"uuid": "1", "chat_messages": []}])
    sources = (chatgpt, claude, (chatgpt, claude), as_file([1]))
    assert [product_of(each) for each in sources] == ["ChatGPT", "Claude.ai", "Mixed", ""]


def test_memory_use_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "conversations.json"
    chat = json.dumps(conversation(mapping={"u": node(said("word " * 20_000))}))
    with path.open("w") as file:
        file.write("[" + ",".join([chat] * 300) + "]")
    tracemalloc.start()
    count = sum(1 for _ in read_entries(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert path.stat().st_size > 25 * 1024**2
    assert peak < 5 * 1024**2


def test_products_are_recognised_by_their_shape(subtests):
    for entry, found in json_cases(__file__, "shapes.jsonl"):
        with subtests.test(entry=entry):
            recognised = recognise(loaded(entry))
            assert (recognised.name if recognised else None) == found


NOON = datetime(2025, 4, 18, 12, tzinfo=UTC)
SECONDS = (1744977600, 1744977600.0, "1744977600", " 1744977600.0 ", 1744977600000)
WRITTEN = ("2025-04-18T12:00:00Z", "2025-04-18T14:00:00+02:00", "2025-04-18 12:00:00")
NUMBERS = (True, 0, -5, float("nan"), float("inf"), 10**30)
OUTSIDE = ("0001-01-01T00:00:00+23:00", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z")
OTHERS = (None, "9" * 400, "", "yesterday", *OUTSIDE, [1744977600], {})


@pytest.mark.parametrize("written", [*SECONDS, *WRITTEN])
def test_all_time_formats_give_the_same_moment(written):
    read = moment(written)
    assert (read, read.tzinfo) == (NOON, UTC)
    assert moment(1744977600.25) == NOON.replace(microsecond=250_000)


@pytest.mark.parametrize("written", [*NUMBERS, *OTHERS])
def test_invalid_time_is_none(written):
    assert moment(written) is None


def test_preview_counts_conversations_and_messages():
    preview = summarise(read_entries(FIXTURES / "conversations.json"))
    assert (preview.conversations, preview.empty_conversations, preview.duplicates) == (3, 1, 0)
    assert preview.messages == 21
    assert preview.by_role == {"user": 5, "assistant": 8, "tool": 4, "system": 4}
    assert (preview.tool_calls, preview.branches) == (2, 2)
    assert (preview.broken_entries, preview.broken, preview.repairs) == (0, [], {})
    assert preview.first_said_at == datetime.fromtimestamp(1_745_000_000, UTC)
    assert preview.last_said_at == datetime.fromtimestamp(1_745_000_102, UTC)
    nothing = summarise([])
    assert (nothing.conversations, nothing.messages, nothing.first_said_at) == (0, 0, None)


def test_preview_lists_the_first_broken_entries_and_counts_repairs():
    preview = summarise(read_entries(FIXTURES / "damaged.json"))
    assert preview.conversations == 4
    assert preview.broken_entries == len(preview.broken) == 7
    assert sum(preview.repairs.values()) == 3
    preview = summarise(BrokenEntry(f"entry {n}", "Broken.") for n in range(250))
    assert preview.broken_entries == 250
    assert [entry.where for entry in preview.broken] == [f"entry {n}" for n in range(100)]


def test_duplicates_and_further_parts_are_not_counted_as_conversations():
    assert summarise(read_entries(as_file([conversation()] * 3))).duplicates == 2
    first = chat("long", "One.", "Two.")
    preview = summarise([first, replace(first, continues=True)])
    assert (preview.entries, preview.conversations, preview.duplicates, preview.messages) == (2, 1, 0, 4)
    assert preview.plain()["entries"] == 2
