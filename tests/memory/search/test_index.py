"""Search by words and by vectors, and the counters of words."""

import random

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction

from accounts.tenancy import tenant
from llm import current
from memory.forgetting.trash import delete, purge, undo
from memory.models import Drawer, DrawerVector, DrawerWords, Lexeme, Palace, WideVector
from memory.organize.notes import Note, save_note
from memory.search.embedding import DrawerText, embed_drawers
from memory.search.embedding_backfill import backfill
from memory.search.index import ChunkRow, file_vectors, space_for
from memory.search.queries import cosines, matching, nearest
from memory.text.tokenization import query_words
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import file

VOCABULARY = ("otter", "heron", "лиса", "猫", "🎉", "قهوة", "café", "C++", "zither", "42", "don't")


pytestmark = pytest.mark.usefixtures("embedder")


def recount(user):
    """The expected counters: a recount of everything that can be found."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT lexeme, count(*) FROM memory_drawerwords w,
               unnest(tsvector_to_array(w.words)) AS lexeme
               WHERE user_id = %s AND NOT hidden GROUP BY lexeme""",
            [user.id],
        )
        lexemes = dict(cursor.fetchall())
    shown = DrawerWords.objects.filter(user_id=user.id, hidden=False)
    return lexemes, shown.count(), sum(shown.values_list("length", flat=True))


def counters(user):
    known = Lexeme.objects.filter(user_id=user.id).exclude(drawers=0)
    palace = Palace.objects.get(user_id=user.id)
    return (dict(known.values_list("lexeme", "drawers")), palace.drawers_indexed, palace.words_indexed)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.drill) for seed in (2, 3))])
def test_word_counters_equal_a_recount_after_random_operations(as_alice, embedder, seed):
    chance = random.Random(seed)
    trash = []
    for step in range(40):
        operation = chance.choice(("save", "save", "delete", "undo", "purge"))
        if operation == "save":
            words = chance.choices(VOCABULARY, k=chance.randrange(1, 6))
            save_note(as_alice.id, Note(" ".join(words), closet=chance.choice("xyz")), NOW)
        elif operation == "delete":
            drawer = chance.choice(list(Drawer.objects.live()) or [None])
            if drawer:
                scope, what = chance.choice((("drawer", drawer.id), ("closet", drawer.closet_id)))
                trash.append(delete(as_alice.id, scope, what, NOW).id)
        elif operation == "undo" and trash:
            undo(as_alice.id, trash.pop(chance.randrange(len(trash))), NOW)
        elif operation == "purge" and step % 3 == 0:
            purge(as_alice.id, NOW.replace(year=2032))
            trash.clear()
        if Palace.objects.filter(user_id=as_alice.id).exists():
            assert counters(as_alice) == recount(as_alice), (operation, step)
    shown = DrawerVector.objects.filter(hidden=False).values_list("drawer_id", flat=True)
    assert set(shown) == set(Drawer.objects.live().values_list("id", flat=True))


def words_found(user, text, most=10):
    return [row.drawer_id for row in matching(user.id, query_words(text), most)]


SCRIPTS = {
    "zürich": "Das Wetter in Zürich ist schön",
    "王敏是谁": "我住在上海，我的妻子叫王敏",
    "собаки": "Моя собака любит снег",
    "قهوة": "أنا أحب القهوة كثيرا",
    "🎂": "The party was 🎉🎂",
    "c++": "We write it in C++ and C#",
    "1200": "It cost 1,200 euros",
    "O'Neill": "don't forget O'Neill's",
}


def test_words_of_any_script_are_found(as_alice):
    notes = {query: save_note(as_alice.id, Note(text), NOW).id for query, text in SCRIPTS.items()}
    for query, note in notes.items():
        assert words_found(as_alice, query) == [note], query


def test_rare_words_come_first(as_alice):
    for number in range(20):
        save_note(as_alice.id, Note(f"The boat number {number}"), NOW)
    rare = save_note(as_alice.id, Note("The zither"), NOW)
    assert words_found(as_alice, "boat zither")[0] == rare.id
    best = matching(as_alice.id, query_words("boat zither"), 1)[0]
    assert 0.5 < best.coverage < 1


def test_crafted_queries_are_only_words(as_alice):
    save_note(as_alice.id, Note("back \\ slash ' quote a b c d"), NOW)
    crafted = ("", "'", "\\", "a & b | !c <-> d:*", "'; DROP TABLE x; --", ":*", "\x7f", "🜀" * 500)
    for query in crafted:
        words_found(as_alice, query)


MATCH = """
SELECT drawer_id FROM memory_match_words(
  'zither'::tsquery, ARRAY['zither'::tsquery], ARRAY[1]::real[], 5, 100, 100)
"""


def matched():
    with connection.cursor() as cursor:
        cursor.execute(MATCH)
        return [row[0] for row in cursor.fetchall()]


def test_searches_by_words_are_planned_for_their_words(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT proconfig FROM pg_proc WHERE proname LIKE 'memory_match_words%'")
        settings = [configured for (configured,) in cursor.fetchall()]
    assert len(settings) == 2
    assert all("plan_cache_mode=force_custom_plan" in each for each in settings)


def test_nothing_of_another_user_is_found_and_without_a_tenant_nothing_is_read_or_written(
    alice, bob, embedder
):
    with tenant(alice.id):
        secret = save_note(alice.id, Note("The code word is zither"), NOW)
        assert matched() == [secret.id]
    space = space_for(embedder.model)
    vector = embedder.embed_query("code word zither").vectors[0]
    with tenant(bob.id):
        save_note(bob.id, Note("I have a boat"), NOW)
        assert words_found(bob, "zither") == words_found(alice, "zither") == []
        assert nearest(alice.id, space, vector, 10) == []
        assert cosines(alice.id, space, vector, [secret.id]) == []
        assert secret.id not in [near.drawer_id for near in nearest(bob.id, space, vector, 10)]
        own = save_note(bob.id, Note("My code word is zither too"), NOW)
        assert matched() == [own.id]
    assert words_found(alice, "zither") == []
    assert nearest(alice.id, space, vector, 10) == []
    assert matched() == [], "the function beneath the policies checks the tenant itself"
    for table in (Drawer, DrawerWords, DrawerVector, Lexeme, Palace):
        assert not table.objects.exists()
    with pytest.raises(DatabaseError), transaction.atomic():
        save_note(alice.id, Note("Written by nobody"), NOW)


def test_a_long_vector_is_searched_by_its_prefix_and_stored_whole(as_alice):
    wide = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(embedder=wide):
        note = save_note(as_alice.id, Note("Otters and herons by the lighthouse"), NOW)
    space = space_for(wide.model)
    assert (space.dimensions, space.search_dimensions) == (1536, 512)
    short, whole = DrawerVector.objects.get(), WideVector.objects.get()
    assert (short.drawer_id, whole.drawer_id) == (note.id, note.id)
    assert len(short.embedding) == 512
    assert np.linalg.norm(short.embedding) == pytest.approx(1, abs=0.01)
    kept = np.array(whole.embedding)
    assert kept == pytest.approx(wide.embed_query(note.content).vectors[0], abs=0.001)
    question = wide.embed_query("herons lighthouse").vectors[0]
    found = nearest(as_alice.id, space, question, 5)
    assert found[0].cosine == pytest.approx(float(kept @ question), abs=0.01)


def test_vectors_of_different_models_are_never_compared(as_alice, embedder):
    note = save_note(as_alice.id, Note("Otters"), NOW)
    other = FakeEmbedder(name="other-model")
    vector = other.embed_query("Otters").vectors[0]
    space = space_for(other.model)
    assert nearest(as_alice.id, space, vector, 5) == []
    rows = embed_drawers(other, [DrawerText(note.id, note.content)]).rows
    with transaction.atomic():
        file_vectors(as_alice.id, space, rows)
        file_vectors(as_alice.id, space, rows)
    assert [near.drawer_id for near in nearest(as_alice.id, space, vector, 5)] == [note.id]
    assert DrawerVector.objects.filter(drawer_id=note.id).count() == 2


def test_the_best_chunk_of_a_long_drawer_is_found_without_crowding_out_others(as_alice, embedder):
    filler = "The weather was grey again. " * 60
    text = f"{filler}The password of the boathouse is zither heron. {filler}"
    note = save_note(as_alice.id, Note(text), NOW)
    backfill(as_alice.id, 1, NOW)
    space = space_for(embedder.model)
    question = embedder.embed_query("password boathouse zither heron").vectors[0]
    (near,) = nearest(as_alice.id, space, question, 5)
    assert near.drawer_id == note.id
    assert "boathouse" in text[near.start : near.start + near.length]

    others = [save_note(as_alice.id, Note(f"Note {n}."), NOW) for n in range(5)]
    file_vectors(as_alice.id, space, [ChunkRow(note.id, n + 10_000, 1, question) for n in range(60)])
    found = nearest(as_alice.id, space, question, 6)
    assert {near.drawer_id for near in found} == {note.id, *(each.id for each in others)}


@pytest.mark.parametrize("dimensions", [384, 1536])
def test_vector_search_agrees_with_an_exhaustive_comparison(as_alice, dimensions):
    """Exactly for whole vectors. For prefixes almost always, with models whose prefixes carry most of the
    meaning, as those searched by prefix do."""
    other = FakeEmbedder(name=f"of-{dimensions}", dimensions=dimensions)
    chance = np.random.default_rng(7)
    with current.using(embedder=other):
        notes = file(as_alice.id, [f"Note {n}." for n in range(200)])
    DrawerVector.objects.all().delete()
    WideVector.objects.all().delete()
    space = space_for(other.model)
    vectors = around(chance, 800, dimensions)
    with transaction.atomic():
        rows = [ChunkRow(notes[n % 200].id, n, 1, vector) for n, vector in enumerate(vectors)]
        file_vectors(as_alice.id, space, rows)
    shares = []
    for question in around(chance, 20, dimensions):
        best = np.full(200, -1.0)
        np.maximum.at(best, np.arange(800) % 200, vectors @ question)
        expected = {notes[n].id for n in np.argsort(-best)[:20]}
        found = {near.drawer_id for near in nearest(as_alice.id, space, question, 20)}
        shares.append(len(found & expected) / 20)
    assert sum(shares) / 20 >= (1 if dimensions == 384 else 0.95)


def around(chance, count, dimensions):
    """Unit vectors, half of them in clusters, half of them anywhere."""
    centres = chance.standard_normal((20, dimensions))
    rows = chance.standard_normal((count, dimensions))
    rows[::2] = centres[np.arange(len(rows[::2])) % 20] + 0.5 * rows[::2]
    rows *= (1 + np.arange(dimensions) / 128) ** -0.75
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)
