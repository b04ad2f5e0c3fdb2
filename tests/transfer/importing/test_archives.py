"""The parts of an upload: single files, archives and folders, within limits."""

import json
import random
import zipfile
from dataclasses import replace

import pytest

from tests.transfer.importing.exports import FIXTURES, as_file, as_zip, conversation
from transfer.importing.archives import DEFAULT_LIMITS, FileRefused, open_parts

CHATS = [conversation()]
NEITHER = (b"%PDF-1.7", b"\x1f\x8b\x08", b"hello", b"\x89PNG\r\n", b"\x00" * 9)
OUTSIDE = ("../", "a/../../", "/etc/", "..\\", "C:\\", "\\\\server\\")
SMALL = replace(DEFAULT_LIMITS, total_bytes=1024**2, members=5, ratio_min_bytes=1000)


def contents(source, limits=DEFAULT_LIMITS):
    with open_parts(source, limits) as parts:
        return [(part.name, b"".join(part.chunks())) for part in parts]


def values(source):
    return [(name, json.loads(data)) for name, data in contents(source)]


def refusal(source, limits=DEFAULT_LIMITS):
    with pytest.raises(FileRefused) as refused:
        contents(source, limits)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    return sentence


def test_json_file_is_one_part_and_can_be_read_twice():
    path = FIXTURES / "linear.json"
    assert contents(path) == [("linear.json", path.read_bytes())]
    file = as_file(CHATS)
    assert values(file) == values(file) == [("", CHATS)]


def test_byte_order_mark_is_skipped():
    text = json.dumps([conversation("Ключи 钥匙 🔑")] * 2000, ensure_ascii=False)
    [(_, data)] = contents(as_file(text.encode("utf-8-sig")))
    assert data.decode() == text


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        (
            {
                "My export/user.json": {"id": 1},
                "My export/conversations.json": CHATS,
                "My export/chat.html": b"<html>",
                "__MACOSX/My export/._conversations.json": b"\x00\x05",
            },
            ["conversations.json"],
        ),
        ({f"part-{n}.json": CHATS for n in (10, 9, 100, 0)}, [f"part-{n}.json" for n in (0, 9, 10, 100)]),
        ({"users.json": [], "projects.json": [1], "conversations.json": CHATS},
         ["conversations.json", "projects.json"]),
        ({"chats.json": CHATS, "a.txt": b"a"}, ["chats.json"]),
        ({"my..export/conversations.json": CHATS}, ["conversations.json"]),
        (
            {
                "chatgpt/conversations.json": CHATS,
                "chatgpt/user.json": [],
                "claude_code/kiosk/a.jsonl": [1],
                "librechat.json": [2],
            },
            ["conversations.json", "a.jsonl", "librechat.json"],
        ),
    ],
    ids=["any folder", "natural order", "chats first", "any name", "dots in a name", "sibling folders"],
)  # fmt: skip
def test_exports_are_found_in_a_zip_and_in_a_folder(tmp_path, members, wanted):
    found = values(as_zip(members))
    assert [name for name, _ in found] == wanted
    assert found[0][1] == CHATS
    for name, value in members.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_file(value).getvalue())
    assert [name for name, _ in contents(tmp_path)] == wanted


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_common_compression_is_read(packing):
    assert values(as_zip({"conversations.json": CHATS}, packing))


def packed(name, value=CHATS):
    return as_zip({name: value})


def with_password():
    data = bytearray(packed("conversations.json").getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return as_file(bytes(data))


def with_wrong_checksum():
    stored = as_zip({"conversations.json": CHATS}, zipfile.ZIP_STORED)
    return as_file(stored.getvalue().replace(b"Petrel", b"Pebble", 1))


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        *(("empty", as_file(data)) for data in (b"", b"  \n\t ", b"\xef\xbb\xbf")),
        *(("web page", as_file(data)) for data in (b"<!DOCTYPE html>", b"\n <html>", b"<?xml ?>")),
        *(("neither a zip file nor JSON", as_file(data)) for data in NEITHER),
        *(("UTF-16", as_file(mark + b"[\0")) for mark in (b"\xff\xfe", b"\xfe\xff")),
        ("no JSON file", packed("chat.html", b"<html>")),
        ("no JSON file", as_zip({})),
        ("contains another one", packed("export.zip", as_zip({}).getvalue())),
        *(("outside", packed(f"{outside}conversations.json")) for outside in OUTSIDE),
        ("password", with_password()),
        ("damaged", as_file(packed("conversations.json").getvalue()[:-30])),
        ("damaged", with_wrong_checksum()),
    ],
)
def test_other_files_are_refused_with_the_reason(sentence, source):
    assert sentence in refusal(source)


def test_folder_is_read_in_natural_order_without_symlinks(tmp_path):
    assert "cannot be read" in refusal(tmp_path / "none.json")
    assert "no JSON file" in refusal(tmp_path)
    for name in ("b/10.jsonl", "b/9.jsonl", "a.json", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps([name]))
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    assert [name for name, _ in values(tmp_path)] == ["a.json", "9.jsonl", "10.jsonl"]
    assert "more than 2 files" in refusal(tmp_path, replace(DEFAULT_LIMITS, members=2))
    assert "larger than" in refusal(tmp_path, replace(DEFAULT_LIMITS, total_bytes=20))


def test_limits_are_enforced():
    bomb = as_zip({"conversations.json": b"[" + b" " * 900_000})
    assert "far more" in refusal(bomb, SMALL)
    assert contents(bomb, replace(SMALL, ratio=100_000))
    noise = random.Random(1).randbytes(600_000)
    parts = {"conversations-0.json": noise, "conversations-1.json": noise}
    assert "larger than" in refusal(as_zip(parts), SMALL)
    assert contents(as_zip({"conversations.json": noise, "photo.jpg": noise}), SMALL)
    assert "larger than" in refusal(as_file(b"[" + b"1," * 600_000), SMALL), "a plain file has the same limit"
    many = as_zip({**{f"{number}.jpg": b"" for number in range(9)}, "conversations.json": CHATS})
    assert "more than 5 files" in refusal(many, SMALL)
    assert "more files" in refusal(many, replace(SMALL, directory_bytes=100))


def test_several_files_share_the_limits_of_one_export(tmp_path):
    pictures = as_zip({"Takeout/picture.png": b"\x89PNG"})
    first, second = packed("conversations-1.json"), packed("conversations-2.json")
    lone = tmp_path / "a.jsonl"
    lone.write_text(json.dumps(CHATS))
    together = (pictures, first, second, lone)
    names = ["conversations-1.json", "conversations-2.json", "a.jsonl"]
    assert values(together) == [(name, CHATS) for name in names]
    assert "no JSON file" in refusal((pictures, pictures))
    assert "damaged" in refusal((first, as_file(second.getvalue()[:-30])))
    assert contents((first, lone, second), replace(DEFAULT_LIMITS, members=3))
    assert "more than 0 files" in refusal((first, lone, second), replace(DEFAULT_LIMITS, members=2))
    size = 3 * len(json.dumps(CHATS))
    assert contents(together, replace(DEFAULT_LIMITS, total_bytes=size))
    assert "larger than" in refusal(together, replace(DEFAULT_LIMITS, total_bytes=size - 1))


def test_part_larger_than_its_declared_size_is_refused():
    data = bytearray(as_zip({"conversations.json": b"[" + b" " * 5000}).getvalue())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (100).to_bytes(4, "little")
    with open_parts(as_file(bytes(data)), DEFAULT_LIMITS) as (part,), pytest.raises(FileRefused):
        b"".join(part.chunks())


def test_random_damage_is_read_or_refused():
    whole = as_zip({"conversations.json": CHATS * 50, "a/user.json": {}}).getvalue()
    chance = random.Random(7)
    outcomes = set()
    for _ in range(500):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(2, len(data))] = chance.randrange(256)
        try:
            contents(as_file(bytes(data)))
            outcomes.add("read")
        except FileRefused:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}
