import io
import json
import zipfile
from datetime import timedelta
from hashlib import sha256

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import Drawer, Wing
from tests.transfer.exporting.furnished import BAKES, LATER, LIVES, MARKUP, SECRET, contents, export, furnish
from transfer.exporting.kinds import KINDS, LEFT_OUT
from transfer.exporting.rows import Scope
from transfer.exporting.writing import write_export

EMPTY_HERE = {"skills", "skill_texts", "skill_sources", "insights", "insight_sources",
              "fact_links", "fact_endings", "known_histories", "misfits", "changes", "row_changes",
              "saved_searches", "forgettings"}  # fmt: skip


@pytest.fixture
def furnished(as_alice):
    furnish(as_alice.id)
    return as_alice


def rows(archive, kind):
    return [json.loads(line) for line in contents(archive)[f"data/{kind}.jsonl"].splitlines()]


def test_it_holds_every_kind_of_row(furnished):
    archive = export(furnished.id)
    empty = {kind.name for kind in KINDS if not rows(archive, kind.name)}
    assert empty <= EMPTY_HERE


def test_counts_and_digests_are_those_of_the_files(furnished):
    files = contents(export(furnished.id))
    manifest = json.loads(files["manifest.json"])
    assert (manifest["format"], manifest["version"]) == ("palace-export", 1)
    for file in manifest["files"]:
        data = files[file["name"]]
        assert file["rows"] == data.count(b"\n")
        assert (file["bytes"], file["sha256"]) == (len(data), sha256(data).hexdigest())
    assert {item["what"] for item in manifest["left_out"]} == set(LEFT_OUT)


def test_the_same_state_gives_the_same_bytes(furnished):
    assert export(furnished.id) == export(furnished.id)
    one, other = (contents(export(furnished.id, at=LATER + timedelta(days=n))) for n in (0, 1))
    assert {name for name in one if one[name] != other[name]} == {"manifest.json"}


def test_nothing_of_an_incognito_chat_is_in_it(furnished):
    hidden = Conversation.objects.get(incognito=True)
    archive = export(furnished.id)
    assert str(hidden.id) not in {row["id"] for row in rows(archive, "conversations")}
    assert len(rows(archive, "messages")) == Message.objects.exclude(conversation_id=hidden.id).count()


def test_the_account_itself_is_not_named(furnished):
    for name, data in contents(export(furnished.id)).items():
        assert str(furnished.id).encode() not in data, name
        assert furnished.email.encode() not in data, name


def test_nothing_of_anybody_else_is_in_it(furnished, bob):
    with tenant(bob.id):
        furnish(bob.id)
        theirs = {str(each) for each in Drawer.objects.values_list("id", flat=True)}
        assert {row["id"] for row in rows(export(bob.id), "drawers")} == theirs
    with tenant(furnished.id):
        assert not theirs & {row["id"] for row in rows(export(furnished.id), "drawers")}


def test_a_room_can_be_read_word_for_word(furnished):
    files = contents(export(furnished.id))
    pages = [data.decode() for name, data in files.items() if name.startswith("reading/W-")]
    said = next(page for page in pages if LIVES in page)
    assert "### § W-001/R-01/D-001" in said
    assert "You · 2031-02-03 06:30 UTC · pinned · sensitive" in said
    assert "Since 2019." in said
    assert any(MARKUP in page for page in pages)
    assert not any(SECRET in page for page in pages)
    assert "The user lives in Lisbon" in files["reading/facts.md"].decode().replace("\\", "")
    assert "“I live in Lisbon” § W-001/R-01/D-001" in files["reading/facts.md"].decode()
    assert "Lissabon" in files["reading/people-and-things.md"].decode()


def test_every_link_of_the_index_leads_to_a_page(furnished):
    files = contents(export(furnished.id))
    index = files["reading/index.md"].decode()
    links = [part.split(">)")[0] for part in index.split("](<")[1:]]
    assert len(links) > 4
    assert {f"reading/{link}" for link in links} <= set(files)


def test_a_wing_travels_alone(furnished):
    drawer = Drawer.objects.get(content=LIVES)
    archive = export(furnished.id, drawer.wing_id)
    assert [row["id"] for row in rows(archive, "wings")] == [str(drawer.wing_id)]
    assert {row["wing_id"] for row in rows(archive, "drawers")} == {str(drawer.wing_id)}
    assert "The user lives in Lisbon." in [row["statement"] for row in rows(archive, "facts")]
    assert BAKES.encode() not in b"".join(contents(archive).values())
    names = set(contents(archive))
    assert not {"data/messages.jsonl", "data/settings.jsonl", "data/traces.jsonl"} & names
    reasons = {item["what"] for item in json.loads(contents(archive)["manifest.json"])["left_out"]}
    assert {"chat_message", "memory_ownwords"} <= reasons


def test_a_wing_holds_all_that_its_rows_refer_to(furnished):
    for wing in Wing.objects.filter(user_id=furnished.id):
        archive = export(furnished.id, wing.id)
        for kind in Scope(furnished.id, wing.id).kinds:
            for column, target in kind.references.items():
                there = {row["id"] for row in rows(archive, target)} | {None}
                assert {row[column] for row in rows(archive, kind.name)} <= there, kind.name


def test_progress_reaches_the_number_of_rows(furnished):
    told = []
    manifest = write_export(Scope(furnished.id), io.BytesIO(), LATER, lambda *given: told.append(given))
    total = sum(file.rows for file in manifest.files)
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_paths_in_the_archive_stay_in_it(furnished):
    Wing.objects.filter(user_id=furnished.id).update(name="../../etc/passwd\\..:<>|?*\x7f")
    with zipfile.ZipFile(io.BytesIO(export(furnished.id))) as archive:
        for name in archive.namelist():
            assert ".." not in name.split("/")
            assert not name.startswith("/")
            assert "\\" not in name
