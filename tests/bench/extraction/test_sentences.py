import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bench.errors import BenchmarkImpossible
from bench.extraction.sentences import HALVES, LANGUAGES, SETS, read_half, read_sentences
from memory.mining.rules.vocabulary import PREDICATES

ENTRY: dict[str, Any] = {
    "id": "one",
    "language": "en",
    "text": "I see the dentist tomorrow",
    "role": "user",
    "said_at": "2024-05-15T10:00:00+00:00",
    "facts": [{"kind": "event", "object": ["dentist", "tooth"], "event_date": "2024-05-16"}],
}
FACT: dict[str, Any] = ENTRY["facts"][0]


def written(folder: Path, **changes: Any) -> Path:
    entry = {name: value for name, value in (ENTRY | changes).items() if value is not None}
    path = folder / "sentences.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    return path


def test_a_line_becomes_a_sentence_with_its_facts(tmp_path: Path):
    (sentence,) = read_sentences(written(tmp_path))
    (fact,) = sentence.facts
    assert sentence.said_at.isoformat() == ENTRY["said_at"]
    assert fact.kinds == ("event",)
    assert fact.objects == ("dentist", "tooth")
    assert fact.event_date == date(2024, 5, 16)
    assert not fact.optional


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"language": "xx"},
        {"text": " "},
        {"role": "system"},
        {"said_at": "2024-05-15T10:00:00"},
        {"facts": []},
        {"why": "joke"},
        {"facts": [], "why": "no particular reason"},
        {"facts": [FACT | {"kind": "gossip"}]},
        {"facts": [FACT | {"accept_kinds": ["gossip"]}]},
        {"facts": [FACT | {"object": ""}]},
        {"facts": [FACT | {"event_date": "tomorrow"}]},
        {"facts": [FACT | {"colour": "blue"}]},
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, changes: dict[str, Any]):
    with pytest.raises(BenchmarkImpossible, match=r"Line 1 of sentences\.jsonl"):
        read_sentences(written(tmp_path, **changes))


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(BenchmarkImpossible, match="cannot be read"):
        read_sentences(tmp_path / "none.jsonl")


def test_the_set_is_as_large_and_as_mixed_as_it_claims():
    every = [sentence for name in SETS for sentence in read_half(name)]
    assert len({sentence.text for sentence in every}) == len({s.id for s in every}) == len(every)
    assert len(every) >= 1_200
    assert sum(not sentence.facts for sentence in every) >= 0.4 * len(every)
    by_language = Counter(sentence.language for sentence in every)
    assert by_language["en"] >= 600
    assert min(by_language[language] for language in LANGUAGES) >= 110


def test_the_later_set_is_enough_by_itself():
    later = read_half("held2")
    assert len(later) >= 420
    assert sum(not sentence.facts for sentence in later) >= 0.4 * len(later)
    by_language = Counter(sentence.language for sentence in later)
    assert by_language["en"] >= 210
    assert min(by_language[language] for language in LANGUAGES) >= 45
    assert {fact.kinds[0] for sentence in later for fact in sentence.facts} == {
        fact.kinds[0] for sentence in read_half("dev") for fact in sentence.facts
    }


def test_the_halves_are_alike():
    dev, held = (
        Counter((s.language, s.facts[0].kinds[0] if s.facts else s.why) for s in read_half(half))
        for half in HALVES
    )
    assert max(abs(dev[stratum] - held[stratum]) for stratum in dev | held) <= 2


def test_opposites_are_predicates_of_the_product():
    opposites = {f.opposite for name in SETS for s in read_half(name) for f in s.facts}
    assert opposites - {""}
    assert opposites - {""} <= PREDICATES.keys()
