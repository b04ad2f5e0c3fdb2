"""The archive of an export: its data, its readable pages and its names."""

import io
import json
from datetime import timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import Drawer, Wing
from tests.transfer.exporting.furnished import LATER, LIVES, MARKUP, SECRET, contents, export, furnish
from transfer.exporting.kinds import KINDS, LEFT_OUT
from transfer.exporting.markdown import fenced, plain
from transfer.exporting.writing import write_export


@pytest.fixture
def alice(palace):
    return palace


@pytest.fixture
def archive(as_alice):
    return export(as_alice.id)


def rows(archive, kind):
    return [json.loads(line) for line in contents(archive)[f"data/{kind}.jsonl"].splitlines()]


def test_export_has_every_kind_and_a_matching_manifest(as_alice, archive):
    files = contents(archive)
    assert {f"data/{kind.name}.jsonl" for kind in KINDS} <= set(files)
    manifest = json.loads(files["manifest.json"])
    assert (manifest["format"], manifest["version"]) == ("palace-export", 1)
    for file in manifest["files"]:
        data = files[file["name"]]
        assert file["rows"] == data.count(b"\n")
        assert (file["bytes"], file["sha256"]) == (len(data), sha256(data).hexdigest())
    assert {item["what"] for item in manifest["left_out"]} == set(LEFT_OUT)
    reported = []
    write_export(as_alice.id, io.BytesIO(), LATER, lambda *given: reported.append(given))
    total = sum(file["rows"] for file in manifest["files"])
    assert reported[-1] == (total, total)
    assert reported == sorted(reported)


def test_export_is_deterministic_and_without_incognito_chats_account_data_and_other_users(
    as_alice, archive, bob
):
    one, other = contents(archive), contents(export(as_alice.id, at=LATER + timedelta(days=1)))
    assert {name for name in one if one[name] != other[name]} == {"manifest.json"}
    hidden = Conversation.objects.get(incognito=True)
    assert str(hidden.id) not in {row["id"] for row in rows(archive, "conversations")}
    assert len(rows(archive, "messages")) == Message.objects.exclude(conversation_id=hidden.id).count()
    for name, data in one.items():
        assert str(as_alice.id).encode() not in data, name
        assert as_alice.email.encode() not in data, name
    with tenant(bob.id):
        furnish(bob.id)
        theirs = {str(each) for each in Drawer.objects.values_list("id", flat=True)}
        assert {row["id"] for row in rows(export(bob.id), "drawers")} == theirs
    assert export(as_alice.id) == archive


def test_readable_pages_contain_messages_facts_and_entities(archive):
    files = {name: data.decode() for name, data in contents(archive).items()}
    pages = [text for name, text in files.items() if name.startswith("reading/W-")]
    said = next(page for page in pages if LIVES in page)
    assert "### § W-001/R-01/D-001" in said
    assert "You · 2031-02-03 06:30 UTC · pinned · sensitive" in said
    assert "Since 2019." in said
    assert any(MARKUP in page for page in pages)
    assert [page for page in pages if SECRET in page] == []
    assert "You live in Lisbon" in files["reading/facts.md"].replace("\\", "")
    assert "“I live in Lisbon” § W-001/R-01/D-001" in files["reading/facts.md"]
    assert "Lissabon" in files["reading/people-and-things.md"]
    links = [part.split(">)")[0] for part in files["reading/index.md"].split("](<")[1:]]
    assert len(links) > 4
    assert {f"reading/{link}" for link in links} <= set(files)


def test_archive_paths_are_safe(as_alice):
    Wing.objects.update(name="../../etc/passwd\\..:<>|?*\x7f")
    for name in contents(export(as_alice.id)):
        assert ".." not in name.split("/")
        assert name[0] != "/"
        assert "\\" not in name


@given(st.text(st.characters(exclude_characters="\r"), max_size=60))
def test_fence_is_longer_than_any_in_the_text(text):
    opening = fenced(text).split("\n")[0]
    fence = opening.removesuffix("text")
    assert set(fence) == {"`"}
    assert fence not in text
    assert fenced(text).removeprefix(opening + "\n") == f"{text}\n{fence}\n"


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "![a](http://b/c.png)", "[x](javascript:alert(1))", "a\n# b"]
)
def test_names_are_escaped(text):
    shown = plain(text)
    assert not [mark for mark in ("\n", "<", "](") if mark in shown]
