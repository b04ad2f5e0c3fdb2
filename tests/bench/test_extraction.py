"""Scoring of extracted facts, and the training sets."""

import json
from datetime import UTC, date, datetime
from io import StringIO
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from bench.cases import BenchmarkImpossible
from bench.extraction import GoldFact, Sentence, judge, read, read_sentences, score
from memory.mining.reader.predicates import PREDICATES
from memory.mining.types import ExtractedFact
from tests.commands import run_command

SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)
CARER = GoldFact(kind="identity", object=("carer",))
HOME = GoldFact(kind="identity", object=("Zürich",), single_valued=True)
TEA = GoldFact(kind="preference", accept_kinds=("behaviour",), object=("tea",), opposite="dislikes")
DENTIST = GoldFact(kind="event", object=("dentist",), event_date=date(2024, 5, 16))
MARKED = settings.BASE_DIR / "training"


def sentence(text, *facts, language="en", why="joke"):
    """A sentence; without facts it is a negative."""
    given = {"id": text, "language": language, "text": text, "role": "user", "said_at": SAID_AT}
    return Sentence(**given, facts=facts, why="" if facts else why)  # type: ignore[arg-type]


HOME_SENTENCE = sentence("I live in Zürich", HOME)


def found(kind, value, **more):
    values: dict[str, object] = {
        "message_id": UUID(int=1),
        "kind": kind,
        "key": kind,
        "value": value,
        "statement": f"About the user: {value}.",
        "predicate": "",
        "object": value,
        "quote": value,
        "span": (0, len(value)),
        "confidence": 0.9,
    }
    return ExtractedFact(**{**values, **more})  # type: ignore[arg-type]


def judged(of, *facts):
    return judge(of, facts)


def write(path, *sentences):
    lines = (each.model_dump_json(exclude_defaults=True) + "\n" for each in sentences)
    path.write_text("".join(lines))
    return path


def run(*data, out, **options):
    """The scores and the error output."""
    printed, errors = StringIO(), StringIO()
    given = {"data": data, "out": out, "json": True, "stdout": printed, "stderr": errors}
    call_command("bench", "extraction", **given | options)
    return json.loads(printed.getvalue()), errors.getvalue()


@pytest.mark.parametrize(
    ("gold", "fact", "hit"),
    [
        (HOME, found("identity", "zürich (Wiedikon)"), True),
        (HOME, found("experience", "Zürich"), False),
        (HOME, found("identity", "Zü rich"), False),
        (HOME, found("identity", "Zürichsee"), True),
        (CARER, found("identity", "er carer"), True),
        (CARER, found("identity", "scarer"), False),
        (TEA, found("behaviour", "drinks tea"), True),
        (TEA, found("preference", "tea", predicate="dislikes"), False),
        (TEA, found("preference", "tea", predicate="dislikes", ended=True), True),
        (HOME.model_copy(update={"object": ("Berg See",)}), found("identity", "am See, beim Berg"), True),
        (HOME.model_copy(update={"object": ("Berg See",)}), found("identity", "am Berg"), False),
        (HOME.model_copy(update={"object": ("Bern", "成都")}), found("identity", "四川成都市"), True),
    ],
)
def test_hit_needs_an_accepted_kind_and_every_word_of_one_object(gold, fact, hit):
    verdict = judged(sentence("…", gold), fact)
    assert bool(verdict.hits) == hit
    assert (verdict.missed, verdict.wrong) == (((), ()) if hit else ((gold,), (fact,)))


ROCHE = GoldFact(kind="identity", object=("Roche",))
OPTIONAL = TEA.model_copy(update={"optional": True})
ZURICH, NEAR = found("identity", "Zürich"), found("identity", "near Zürich")
ECHO = found("identity", "Roche", statement="The user lives in Zürich and works at Roche.")
UNSURE, FOREIGN = (
    found("identity", "Zürich", **why) for why in ({"confidence": 0.45}, {"authority": "external"})
)
ENDED = found("preference", "tea", predicate="likes", ended=True)


@pytest.mark.parametrize(
    ("golds", "facts", "expected"),
    [
        ([HOME], [ZURICH, NEAR], {"hits": {(HOME, ZURICH)}, "wrong": {NEAR}}),
        ([HOME, ROCHE], [ECHO, ZURICH], {"hits": {(HOME, ZURICH), (ROCHE, ECHO)}}),
        ([HOME, OPTIONAL], [ZURICH], {"hits": {(HOME, ZURICH)}}),
        ([HOME, OPTIONAL], [found("preference", "tea")], {"missed": {HOME}}),
        ([HOME], [UNSURE], {"missed": {HOME}, "reviewed": {UNSURE}}),
        ([HOME], [FOREIGN], {"missed": {HOME}, "reviewed": {FOREIGN}}),
        ([TEA], [ENDED], {"missed": {TEA}}),
    ],
    ids=["repeated", "object preferred to sentence", "absent", "optional", "unsure", "foreign", "ended"],
)
def test_each_fact_is_a_hit_missed_wrong_or_in_review(golds, facts, expected):
    verdict = judged(sentence("…", *golds), *facts)
    for name in ("hits", "missed", "wrong", "reviewed"):
        assert set(getattr(verdict, name)) == expected.get(name, set()), name


def test_precision_and_recall_are_reported_by_language_and_kind():
    scores = score(
        [
            judged(sentence("a", HOME, TEA), found("identity", "Zürich", single_valued=True)),
            judged(sentence("b", TEA, language="de"), found("goal", "Mars"), found("behaviour", "tea")),
            judged(sentence("c")),
        ]
    )
    assert (scores["sentences"], scores["hit"], scores["missed"], scores["wrong"]) == (3, 2, 1, 1)
    assert (scores["precision"], scores["recall"]) == (0.6667, 0.6667)
    german = {"precision": 0.5, "recall": 1.0, "hit": 1, "missed": 0, "wrong": 1}
    assert scores["by_language"]["de"] == german
    assert scores["by_kind"]["preference"]["recall"] == 0.5  # an accepted kind counts as the marked one
    assert scores["by_kind"]["goal"] == {"precision": 0.0, "recall": None, "hit": 0, "missed": 0, "wrong": 1}
    assert set(scores["by_kind_english"]) == {"identity", "preference"}
    assert (score([])["precision"], score([])["recall"]) == (None, None)


def test_negatives_dates_and_single_values_are_counted():
    morning = datetime(2024, 5, 16, 9, tzinfo=UTC)
    scores = score(
        [
            judged(sentence("a"), found("goal", "x"), found("goal", "y")),
            judged(sentence("b", why="question")),
            judged(sentence("c", DENTIST), found("event", "dentist", event_time=morning)),
            judged(sentence("d", DENTIST), found("event", "dentist")),
            judged(sentence("e", HOME), found("identity", "Zürich", single_valued=True)),
        ]
    )
    negatives = {"sentences": 2, "with_facts": 1, "with_facts_by_reason": {"joke": 1}}
    assert scores["negatives"] == negatives
    assert (scores["right_event_date"], scores["known_as_single_valued"]) == (0.5, 1.0)
    wordless = str(score([judged(sentence("Ssh!", HOME), found("goal", "hush"))]))
    assert [word for word in ("Ssh", "hush") if word in wordless] == []


def test_dates_are_resolved_relative_to_the_time_of_the_sentence():
    said = sentence("I have a dentist appointment tomorrow at 3pm", DENTIST)
    ((_, facts),) = read([said])
    assert {f.event_time.date().isoformat() for f in facts if f.event_time} == {"2024-05-16"}


def test_files_are_scored_together_and_separately_as_json_or_a_table(tmp_path):
    dev = write(tmp_path / "dev.jsonl", HOME_SENTENCE, sentence("The tea leaves are wet", TEA))
    held = write(tmp_path / "held.jsonl", sentence("I live in Zürich, the city of lakes", HOME, TEA))
    scores, quiet = run(dev, held, out=tmp_path)
    assert scores == json.loads((tmp_path / "scores.json").read_text())
    assert [scores[name]["recall"] for name in ("dev", "held")] == [0.5, 0.5]
    assert (scores["extractor"], scores["hit"], scores["missed"], scores["sentences"]) == ("reader", 2, 2, 3)
    assert "tea leaves" not in quiet
    _, shown = run(dev, held, out=tmp_path, show_errors=True)
    assert "The tea leaves are wet\n    missed  preference | behaviour: tea" in shown
    assert "city of lakes" not in shown
    with pytest.raises(CommandError, match="not shown"):
        run(held, out=tmp_path, show_errors=True)
    path = write(tmp_path / "any.jsonl", HOME_SENTENCE)
    table = run_command("bench extraction", data=[path], out=tmp_path)
    rows = [line.split() for line in table.splitlines()]
    assert rows[1:] == [[name, "1.000", "1.000", "1", "0", "0"] for name in ("all", "en", "identity")]


@pytest.mark.parametrize(
    "changes",
    [
        {"language": ""},
        {"text": " "},
        {"role": "system"},
        {"said_at": "2024-05-15T10:00:00"},
        {"facts": []},
        {"why": "joke"},
        {"facts": [{"kind": "gossip", "object": "x"}]},
        {"facts": [{"kind": "event", "object": "x", "accept_kinds": ["gossip"]}]},
        {"facts": [{"kind": "event", "object": ""}]},
        {"facts": [{"kind": "event", "object": "x", "event_date": "tomorrow"}]},
        {"facts": [{"kind": "event", "object": "x", "colour": "blue"}]},
    ],
)
def test_invalid_line_is_reported_with_its_number(tmp_path, changes):
    entry = json.loads(HOME_SENTENCE.model_dump_json(exclude_defaults=True)) | changes
    path = tmp_path / "marked.jsonl"
    path.write_text(json.dumps({name: value for name, value in entry.items() if value is not None}))
    with pytest.raises(BenchmarkImpossible, match=r"Line 1 of marked\.jsonl"):
        read_sentences(path)


def test_training_sets_are_valid_and_complete():
    sets = {path.stem: read_sentences(path) for path in sorted(MARKED.glob("*.jsonl"))}
    every = [each for several in sets.values() for each in several]
    assert len({each.text for each in every}) == len({each.id for each in every}) == len(every) >= 9_500
    assert round(sum(not each.facts for each in every) / len(every), 1) == 0.4
    assert {each.language for each in every} == {"en", "de", "es", "fr", "zh", "ru"}
    trained = [fact for name in sets if len(name) == 2 for each in sets[name] for fact in each.facts]
    assert {fact.predicate for fact in trained} <= PREDICATES.keys()
