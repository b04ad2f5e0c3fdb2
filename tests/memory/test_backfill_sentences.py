"""Drawers that were filed before sentences had vectors get theirs later."""

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import SentenceVectors
from memory.search.embedding_backfill import backfill, work_waits
from tests.drills.ledger import NOW, converse, mine

LONG = (
    "Could you help me to write a letter to the tax office about form 17? "
    "By the way, my dog Bruno is afraid of thunder and hides in the bath."
)


def sentence_rows(user):
    rows = SentenceVectors.objects.filter(user_id=user.id).order_by("drawer_id")
    return [(drawer_id, bytes(kept)) for drawer_id, kept in rows.values_list("drawer_id", "kept")]


def test_missing_sentence_vectors_are_made_later_once_for_each_drawer(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        converse(as_alice.id, LONG, LONG + " Never mind.")
        converse(as_alice.id, "My dog Bruno is a greyhound and hates thunder")
        mine(as_alice.id)
        made = sentence_rows(as_alice)
        assert [bool(kept) for _, kept in made].count(True) == 1, "of the person's words alone"
        SentenceVectors.objects.all().delete()
        assert work_waits(as_alice.id)
        backfill(as_alice.id, 100, NOW)
        assert [row for row in sentence_rows(as_alice) if row[1]] == [row for row in made if row[1]]
        assert b"" in dict(sentence_rows(as_alice)).values(), "a drawer without sentences is remembered"
        assert not work_waits(as_alice.id)


def test_no_round_reads_more_sentences_than_it_was_given(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        for number in range(3):
            converse(as_alice.id, f"{LONG} That was letter number {number} of this week.")
        mine(as_alice.id)
        SentenceVectors.objects.all().delete()
        backfill(as_alice.id, 2, NOW)
        assert len(sentence_rows(as_alice)) == 2
        assert work_waits(as_alice.id)
        backfill(as_alice.id, 2, NOW)
        assert not work_waits(as_alice.id)
