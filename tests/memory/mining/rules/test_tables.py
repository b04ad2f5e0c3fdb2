"""Every rule keeps the promises written beside it."""

from dataclasses import replace

import pytest

from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from memory.mining.rules.table import Language, Rule
from memory.mining.types import FACT_KINDS
from tests.memory.mining.chats import turn

ALL = [(language, rule) for language in LANGUAGES for rule in language.rules]
YES = [(language, rule, *example) for language, rule in ALL for example in rule.yes]
NO = [(language, rule, sentence) for language, rule in ALL for sentence in rule.no]


def objects(language: Language, rule: Rule, sentence: str) -> str:
    alone = replace(language, rules=(rule,))
    return "|".join(found.fact.object for found in facts_of(turn(sentence), [alone]))


@pytest.mark.parametrize(("language", "rule", "sentence", "expected"), YES, ids=[y[2] for y in YES])
def test_a_rule_takes_what_it_promises(language, rule, sentence, expected):
    assert objects(language, rule, sentence) == expected


@pytest.mark.parametrize(("language", "rule", "sentence"), NO, ids=[n[2] for n in NO])
def test_a_rule_leaves_what_it_promises_to_leave(language, rule, sentence):
    assert objects(language, rule, sentence) == ""


@pytest.mark.parametrize(("language", "rule"), ALL)
def test_every_rule_has_examples_of_both_sorts_and_a_known_kind(language, rule):
    assert rule.yes
    assert rule.no
    assert rule.kind in FACT_KINDS
    assert 0.5 <= rule.confidence <= 0.9


def test_every_language_covers_the_commonest_statements():
    common = {
        "named",
        "lives_in",
        "likes",
        "dislikes",
        "works_at",
        "works_as",
        "asked_to_remember",
        "",
    }
    for language in LANGUAGES:
        assert common <= {rule.predicate for rule in language.rules}
