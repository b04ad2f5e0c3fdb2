import numpy as np
import pytest

from accounts.tenancy import tenant
from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from llm.types import TokenEmbeddings, Tokens, Usage
from memory.models import Drawer
from memory.models import Usage as UsageRow
from memory.recall.late_interaction import NOT_READ, compared, passages
from memory.recall.pipeline import ranking, recall
from memory.recall.recipes import THOROUGH
from memory.recall.types import Candidate, Query, RecallRequest, RecallSettings
from tests.drills.ledger import NOW
from tests.memory.palaces import file

TAP = "I replaced the old kitchen tap on Sunday."
CAT = "My cat Miso sleeps all day."


class WordEmbedder(FakeEmbedder):
    """A fake whose tokens are words, each with the vector of that word alone."""

    failure = None

    def embed_tokens(self, texts):
        if self.failure:
            raise self.failure
        return TokenEmbeddings(tuple(map(self._tokens, texts)), Usage("words", 1, 0, 0))

    def _tokens(self, text):
        words, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            words.append((start, start + len(word)))
            start += len(word)
        rows = [self.embed_documents([text[slice(*word)]]).vectors[0] for word in words]
        return Tokens(np.array(rows, dtype=np.float32), tuple(words))


@pytest.fixture
def embedder():
    fake = WordEmbedder()
    with current.using(embedder=fake):
        yield fake


def request_of(user, message="Which kitchen tap did I replace?"):
    settings = RecallSettings(recipe=THOROUGH, time_limit_ms=5_000)
    return RecallRequest(user.id, message, NOW, settings=settings)


def candidates_of(drawers):
    return [Candidate(each.id, each.room_id, "user", NOW, {}) for each in drawers]


def test_the_passage_that_meets_more_words_of_the_question_is_nearer(as_alice, embedder):
    request = request_of(as_alice)
    given = candidates_of(file(as_alice.id, [CAT, TAP]))
    found, degraded = compared(request, Query(request.message), given, passages(request, given))
    cat, tap = found
    assert tap.scores["late"] > cat.scores["late"]
    assert degraded == ()


def test_the_comparison_is_booked(as_alice, embedder):
    request = request_of(as_alice)
    given = candidates_of(file(as_alice.id, [TAP]))
    compared(request, Query(request.message), given, passages(request, given))
    assert UsageRow.objects.filter(source=UsageRow.Source.RERANK, input_tokens=1).exists()


def test_a_passage_is_what_was_found_with_a_little_around_it(as_alice):
    text = "a" * 2_000 + TAP + "b" * 2_000
    (drawer,) = file(as_alice.id, [text])
    (given,) = candidates_of([drawer])
    span = (2_000, 2_000 + len(TAP))
    (passage,) = passages(request_of(as_alice), [given._replace(span=span)]).values()
    assert TAP in passage
    assert len(passage) <= 1_000


def test_a_drawer_of_somebody_else_has_no_passage(alice, bob):
    with tenant(alice.id):
        given = candidates_of(file(alice.id, [TAP]))
    with tenant(bob.id):
        assert passages(request_of(bob), given) == {}


def test_an_embedder_without_tokens_changes_nothing(as_alice):
    with current.using(embedder=FakeEmbedder()):
        given = candidates_of(file(as_alice.id, [TAP]))
        texts = passages(request_of(as_alice), given)
        assert compared(request_of(as_alice), Query("tap?"), given, texts) == (tuple(given), ())


def test_an_embedder_that_fails_keeps_the_order_and_says_so(as_alice, embedder):
    given = candidates_of(file(as_alice.id, [TAP]))
    embedder.failure = EmbedderUnavailable("Away.")
    texts = passages(request_of(as_alice), given)
    found, degraded = compared(request_of(as_alice), Query("tap?"), given, texts)
    assert found == tuple(given)
    assert degraded == (NOT_READ,)


def test_the_thorough_recipe_compares_and_tells_it(as_alice, embedder):
    file(as_alice.id, [CAT, TAP])
    found = recall(request_of(as_alice))
    assert found.hits[0].text == TAP
    assert "late interaction" in found.trace.timings
    assert "late" in found.trace.considered[0].scores


def test_a_second_order_weighs_the_measurements_again_and_not_their_shares(as_alice, embedder):
    tap, _ = file(as_alice.id, [TAP, "Which kitchen tap?"])
    Drawer.objects.filter(user_id=as_alice.id, id=tap.id).update(pinned=True)
    first, second = ranking(request_of(as_alice))
    assert "late" in first.scores
    assert first.parts["pinned"] == pytest.approx(THOROUGH.weights.pinned)
    assert second.parts["little"] == pytest.approx(THOROUGH.weights.little)
