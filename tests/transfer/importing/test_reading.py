import json
import tracemalloc
from collections.abc import Iterable

import pytest

from tests.transfer.importing.exports import FIXTURES, as_file, as_zip, conversation, node, said
from transfer.importing.archives import ImportUnreadable, Source
from transfer.importing.entries import REPLACED
from transfer.importing.reading import detect, read_entries
from transfer.importing.threads import BrokenEntry, Entry, ImportedConversation


def titles(entries: Iterable[Entry]) -> list[str | None]:
    return [getattr(entry, "title", None) for entry in entries]


def conversation_in(entry: Entry) -> ImportedConversation:
    assert isinstance(entry, ImportedConversation)
    return entry


def place(entry: Entry) -> str:
    assert isinstance(entry, BrokenEntry)
    return entry.where


def refusal(source: Source) -> str:
    with pytest.raises(ImportUnreadable) as refused:
        next(read_entries(source))
    with pytest.raises(ImportUnreadable, match=str(refused.value).replace("(", r"\(")):
        detect(source)
    return str(refused.value)


def test_zipped_file_gives_the_same_conversations(tmp_path):
    path = FIXTURES / "conversations.json"
    zipped = tmp_path / "export.zip"
    zipped.write_bytes(as_zip({"chatgpt/conversations.json": path.read_bytes()}).getvalue())
    entries = list(read_entries(path))
    assert titles(entries) == ["Anchor escapement", "Präsent für Öznur 🎁 — 礼物", ""]
    assert list(read_entries(zipped)) == entries
    assert detect(path).name == detect(zipped).name == "ChatGPT"


def test_parts_single_chats_and_wrapped_lists_are_read():
    upload = as_file([conversation()])
    assert detect(upload).name == "ChatGPT"
    assert len(list(read_entries(upload))) == len(list(read_entries(upload))) == 1
    parts = {f"conversations-{n:03}.json": [conversation(str(n))] for n in (1, 0, 2)}
    assert titles(read_entries(as_zip(parts))) == ["0", "1", "2"]
    assert titles(read_entries(as_file(conversation("Alone")))) == ["Alone"]
    wrapped = {"conversations": [conversation("A"), 5, conversation("B")]}
    assert titles(read_entries(as_file(wrapped))) == ["A", None, "B"]
    assert titles(read_entries(as_file([None, {"x": 1}, conversation("C")]))) == [None, None, "C"]


def test_damage_affects_only_its_own_entry():
    entries = list(read_entries(FIXTURES / "damaged.json"))
    broken = {entry.where: entry.reason for entry in entries if isinstance(entry, BrokenEntry)}
    rest = ["Broken inside", None, "After"]
    assert titles(entries) == ["Before", "Half a character", "Raw rubbish", *[None] * 5, *rest]
    assert list(broken) == [
        "damaged.json entry 4 (“A missing value”)",
        "damaged.json entry 5 (“No messages at all”)",
        "damaged.json entry 6 (“Messages of a wrong kind”)",
        "damaged.json entry 7",
        "damaged.json entry 8",
        "damaged.json entry 10 (“Deep”)",
    ]
    assert list(broken.values())[-1] == "It is nested more than 200 levels deep."
    assert conversation_in(entries[1]).messages[0].content == "x\ud800y\x00z \udc00"
    assert conversation_in(entries[2]).messages[0].content == "tab\tand nul\x00 and caf\ufffd"
    assert conversation_in(entries[2]).repairs == (REPLACED,)
    inside = conversation_in(entries[8])
    words = [message.content for message in inside.messages]
    assert words == ["Same key again", "Whose words?"]
    assert len(inside.repairs) == 3


def test_invalid_byte_in_utf8_text_is_replaced():
    data = json.dumps([conversation("Ключи 钥匙")], ensure_ascii=False).encode()
    [entry] = read_entries(as_file(data.replace(b"Petrel", b"P\xe9trel")))
    assert conversation_in(entry).repairs == (REPLACED,)


def test_long_or_unprintable_title_is_shortened_in_the_report():
    odd = [conversation(), {"title": "Ça " * 100}, {"title": "nul\x00 \ud800"}]
    _, long, unprintable = read_entries(as_file(odd))
    assert place(long).startswith("entry 2 (“Ça Ça ")
    assert place(long).endswith("…”)")
    assert len(place(long)) < 100
    assert place(unprintable) == "entry 3 (“nul\ufffd \ufffd”)"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (as_file({"name": "package", "version": 1}), "not an export of chats"),
        (as_file([1, 2, 3]), "not an export of chats"),
        (as_file([]), "no conversation"),
        (as_zip({"conversations.json": []}), "no conversation"),
        (as_file(b"[nope]"), "not valid JSON"),
    ],
)
def test_json_that_is_not_an_export_is_refused(source, sentence):
    assert sentence in refusal(source)


def test_deeply_nested_entry_is_skipped_and_extreme_nesting_refused():
    good = json.dumps(conversation("Good")).encode()
    deep = b'{"title": "Well", "mapping": ' + b"[" * 300 + b"]" * 300 + b"}"
    first, well, last = read_entries(as_file(b"[" + good + b"," + deep + b"," + good + b"]"))
    assert titles([first, last]) == ["Good", "Good"]
    assert place(well) == "entry 2 (“Well”)"
    with pytest.raises(ImportUnreadable, match="nested too deeply"):
        list(read_entries(as_file(b"[" + good + b"," + b"[" * 1_000_000 + b"]")))


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
