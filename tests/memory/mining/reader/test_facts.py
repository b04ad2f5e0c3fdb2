"""Facts from the predictions of a scripted network."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from memory.mining.reader import facts, mentions
from memory.mining.reader.decoding import whole_words
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES
from memory.mining.reader.sentences import sentence_numbers, sentences
from tests.cases import cases
from tests.memory.mining.chats import turn

SURE = 3.0


class Scripted:
    """A network that sees the given values, one token a word; calibrated on the first feature alone."""

    calibration = 2 * np.eye(33 + len(KINDS))[0]

    def __init__(self, *seen, logit=SURE, ended=False):
        self.seen, self.logit, self.ended = seen, logit, ended

    def predict(self, texts):
        return [[self._beliefs(text)] if text else [] for text in texts]

    def _beliefs(self, text):
        spans = list(_words(text))
        count, outside = len(spans), 1 / (1 + np.exp(self.logit))
        tags = np.tile(np.array([0.99, 0.005, 0.005]), (count, 1))
        predicates = np.full((count, len(NAMES)), 1e-3)
        for value, predicate in self.seen:
            start = text.find(value)
            inside = [
                i for i, (a, b) in enumerate(spans) if start >= 0 and a < start + len(value) and b > start
            ]
            for order, at in enumerate(inside):
                tags[at] = [outside, 0.9 - outside, 0.1] if order == 0 else [outside, 0.1, 0.9 - outside]
                predicates[at, NAMES.index(predicate)] = 1
        sentence = sentence_numbers(spans, sentences(text))
        return Prediction(
            spans=spans,
            sentence=sentence,
            tags=tags,
            predicates=predicates,
            ended=np.full(count, float(self.ended)),
            kinds=np.full((sentence[-1] + 1, len(KINDS)), 0.9),
            any=np.full(sentence[-1] + 1, 0.9),
        )


def _words(text):
    at = 0
    for word in text.split(" "):
        if word:
            yield at, at + len(word)
        at += len(word) + 1


def read(text, *seen, **how):
    said = replace(turn(text), said_at=datetime(2026, 11, 23, 12, tzinfo=UTC))
    return facts.read([said], Scripted(*seen, **how))


def shown(value):
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, tuple):
        return ", ".join(value)
    return {None: "none", True: "yes", False: "no"}.get(value, value)


CASES = cases(__file__, "facts.txt")


@pytest.mark.parametrize("behaviour", CASES)
def test_facts_say_what_the_user_said_of_themselves(behaviour, subtests):
    for line in CASES[behaviour]:
        words, seen, expected, *logit = line.split(" | ")
        values = [tuple(each.split(" ", 1)[::-1]) for each in seen.split(" + ")]
        with subtests.test(line):
            found = read(words, *values, logit=float(logit[0]) if logit else SURE)
            said = [dict(each.split("=", 1) for each in expected.split(" ; "))] if expected != "-" else []
            names = said[0] if said else ()
            assert [{name: shown(getattr(fact, name)) for name in names} for fact in found] == said


def test_a_predicted_value_becomes_a_fact_with_its_quote():
    [fact] = read("Hello! Leeds is where I live these days. Any tips?", ("Leeds", "lives_in"))
    assert (fact.kind, fact.key, fact.value) == ("identity", "home_city", "Leeds")
    assert fact.statement == "The user lives in Leeds."
    assert fact.quote == "Leeds is where I live these days"
    assert (fact.location, fact.single_valued, fact.unsure) == ("Leeds", True, False)
    assert fact.confidence == pytest.approx(0.953, abs=0.001)


def test_pasted_text_and_other_speakers_yield_no_facts():
    assert read("Translate this:\nI live in Leeds.", ("Leeds.", "lives_in")) == []
    assistant = turn("I live in Leeds", "assistant")
    assert facts.read([assistant], Scripted(("Leeds", "lives_in"))) == []


def test_likes_and_dislikes_of_one_thing_share_a_key():
    [likes], [dislikes] = read("I love tea", ("tea", "likes")), read("I hate tea", ("tea", "dislikes"))
    assert likes.key == dislikes.key
    assert (likes.value, dislikes.value) == ("likes tea", "dislikes tea")


def test_an_event_has_its_day_and_time():
    [fact] = read("I see the dentist on Friday at 3pm", ("dentist", "has_event"))
    assert fact.event_time == datetime(2026, 11, 27, 15, tzinfo=UTC)
    assert fact.statement == "The user said: “I see the dentist on Friday at 3pm” (2026-11-27)."
    assert fact.key == "event_dentist_2026_11_27"
    [past] = read("I ran the marathon last year", ("ran the marathon", "experienced"))
    assert past.statement.endswith("(about 2025).")


def test_an_ended_fact_is_marked_and_dated():
    [fact] = read("I left Opel in May", ("Opel", "works_at"), ended=True)
    assert (fact.ended, fact.valid_to) == (True, datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("words", "value", "predicate", "ended"),
    [
        ("I don't eat meat any more", "meat", "avoids", False),
        ("I used to play drums", "drums", "plays", True),
        ("I used to paint the sea", "paint the sea", "experienced", False),
        ("I used to live in Berlin and now I live in Munich", "Munich", "lives_in", False),
        ("We used to rent but we own a boat", "boat", "owns", False),
    ],
)
def test_no_longer_and_used_to_end_only_the_facts_they_apply_to(words, value, predicate, ended):
    assert [fact.ended for fact in read(words, (value, predicate)) if fact.object == value] == [ended]


def test_abbreviations_do_not_end_a_sentence():
    text = "Dr. Who was born am 14. Mai 1992. He had 3. Then he left."
    parts = [text[slice(*span)].strip() for span in sentences(text)]
    assert parts == ["Dr. Who was born am 14. Mai 1992.", "He had 3.", "Then he left."]


def test_a_former_job_also_ends_the_current_one():
    former, ended = read("I used to work at Opel", ("Opel", "worked_at"))
    assert (former.kind, former.ended) == ("experience", False)
    assert (ended.predicate, ended.key, ended.ended) == ("works_at", "employer", True)


def test_a_past_stay_has_a_start_and_an_end():
    fact, _ = read("I lived in Rome from 2016 to 2019", ("Rome", "lived_in"))
    assert (fact.valid_from.year, fact.valid_to) == (2016, datetime(2020, 1, 1, tzinfo=UTC))


def test_long_sentences_are_quoted_around_the_value():
    words = f"{'so it goes on and on, ' * 20}I live in Leeds, {'and on and on, ' * 20}"
    [fact] = read(words, ("Leeds,", "lives_in"))
    assert "I live in Leeds" in fact.quote
    assert len(fact.quote) <= 2 * mentions.MAX_QUOTE_LENGTH
    assert words[slice(*fact.span)] == fact.quote


def test_every_predicate_has_a_kind_a_key_and_a_statement():
    for predicate in PREDICATES.values():
        [fact, *_] = read("we spend beta gamma", ("beta", predicate.name))
        assert fact.kind == predicate.kind
        assert fact.key
        assert "{" not in fact.statement + fact.key
        assert fact.statement.endswith((".", "”"))


@pytest.mark.parametrize(
    ("text", "seen", "value"),
    [
        ("my snakes don't run", "snakes don", "snakes"),
        ("I'd spend hours there", "d spend hours", "spend hours"),
    ],
)
def test_values_exclude_halves_of_contractions(text, seen, value):
    start = text.index(seen)
    assert text[slice(*whole_words(text, (start, start + len(seen))))] == value


def test_an_implied_relationship_needs_more_confidence():
    [fact] = read("We are expecting Kimura any day now", ("Kimura", "parent_of"), logit=1.3)
    assert 0.77 < fact.confidence < 0.8
    assert fact.unsure


def test_a_long_sentence_is_quoted_around_the_value():
    words = f"I teach, which I love, {'and' * 60}, and I want to retire early, {'but' * 60}."
    [fact] = read(words, ("retire early", "wants"))
    assert fact.statement == "The user said: “and I want to retire early”"


def test_a_question_with_a_date_is_unsure():
    [fact] = read("Did I mention I broke my arm yesterday?", ("broke my arm", "experienced"))
    assert fact.statement.endswith(").")
    assert fact.unsure
