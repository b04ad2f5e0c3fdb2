from datetime import UTC, datetime

from bench.extraction.judging import judge
from bench.extraction.scoring import answers, score
from llm.types import Usage
from tests.bench.extraction.marked import DENTIST, HOME, TEA, found, reading, sentence

MORNING = datetime(2024, 5, 16, 9, tzinfo=UTC)


def test_precision_and_recall_come_from_counts():
    scores = score(
        [
            judge(reading(sentence("a", HOME, TEA), found("identity", "Zürich"))),
            judge(reading(sentence("b"), found("identity", "Mars"), found("goal", "Mars"))),
            judge(reading(sentence("c"))),
        ]
    )
    assert (scores["hit"], scores["missed"], scores["wrong"]) == (1, 1, 2)
    assert scores["precision"] == 0.3333
    assert scores["recall"] == 0.5
    assert scores["sentences"] == 3


def test_kinds_and_languages_are_told_apart():
    scores = score(
        [
            judge(reading(sentence("a", HOME), found("identity", "Zürich"))),
            judge(reading(sentence("b", TEA, language="de"), found("goal", "Mars"))),
        ]
    )
    assert scores["by_language"]["en"]["precision"] == 1.0
    assert scores["by_language"]["de"] == {
        "precision": 0.0,
        "recall": 0.0,
        "hit": 0,
        "missed": 1,
        "wrong": 1,
    }
    assert scores["by_kind"]["preference"]["recall"] == 0.0
    assert scores["by_kind"]["preference"]["precision"] is None
    assert scores["by_kind"]["goal"]["wrong"] == 1
    assert set(scores["by_kind_english"]) == {"identity"}


def test_an_accepted_kind_counts_under_the_kind_of_the_reader():
    scores = score([judge(reading(sentence("a", TEA), found("behaviour", "tea")))])
    assert set(scores["by_kind"]) == {"preference"}


def test_negatives_are_counted_by_sentence_and_reason():
    verdicts = [
        judge(reading(sentence("a"), found("goal", "x"), found("goal", "y"))),
        judge(reading(sentence("b", why="question"))),
        judge(reading(sentence("c", HOME), found("goal", "z"))),
    ]
    assert score(verdicts)["negatives"] == {
        "sentences": 2,
        "with_facts": 1,
        "with_facts_by_reason": {"joke": 1},
    }


def test_dates_and_single_values_are_judged_on_the_hits():
    scores = score(
        [
            judge(reading(sentence("a", DENTIST), found("event", "dentist", event_time=MORNING))),
            judge(reading(sentence("b", DENTIST), found("event", "dentist"))),
            judge(reading(sentence("c", HOME), found("identity", "Zürich", single_valued=True))),
        ]
    )
    assert scores["right_event_date"] == 0.5
    assert scores["known_as_single_valued"] == 1.0


def test_no_sentence_and_no_found_word_is_in_the_scores():
    scores = score([judge(reading(sentence("Ssh!", HOME), found("goal", "hush")))])
    assert "Ssh" not in str(scores)
    assert "hush" not in str(scores)


def test_nothing_read_has_no_shares():
    assert score([])["precision"] is None
    assert score([])["recall"] is None


def test_answers_of_a_model_are_shares_of_what_it_answered():
    taken = answers(
        [
            reading(sentence("a"), outcome="valid"),
            reading(sentence("b"), outcome="valid"),
            reading(sentence("c"), outcome="repaired"),
            reading(sentence("d"), outcome="unreadable"),
            reading(sentence("e"), outcome="unanswered"),
            reading(sentence("f"), outcome="rules"),
        ]
    )
    assert taken["asked"] == 5
    assert taken["valid_json_first"] == 0.5
    assert taken["valid_json_after_repair"] == 0.75
    assert (taken["repaired"], taken["unreadable"], taken["unanswered"]) == (1, 1, 1)


def test_tokens_of_every_call_are_added_up():
    one = reading(sentence("a"), outcome="repaired")
    calls = (Usage("m", 10, 2, latency_ms=1), Usage("m", 5, 3, latency_ms=1))
    taken = answers([type(one)(one.sentence, (), "repaired", calls)])
    assert (taken["input_tokens"], taken["output_tokens"]) == (15, 5)
