from dataclasses import replace
from typing import Any

import pytest

from memory.mining.screening import drop_items_with_secrets, screen, without_secrets
from memory.mining.types import ExtractedFact
from memory.text.secrets import BLANK
from tests.cases import cases
from tests.memory.mining.chats import chat, extract, turn

CASES = cases(__file__, "screening.txt")


def fact(statement="The user likes tea.", **changes):
    given: dict[str, Any] = dict.fromkeys(("key", "value", "object"), "tea") | {"predicate": "likes"}
    given |= {"kind": "other", "quote": "I like tea", "span": (0, 10), "message_id": turn("x").message_id}
    given |= {"confidence": 0.8}
    return ExtractedFact(statement=statement, **given | changes)


def test_a_secret_is_masked_in_every_field_of_a_fact():
    held = dict.fromkeys(("key", "value", "object"), "hunter2")
    screened = screen(fact("The user's password is hunter2.", quote="my password is hunter2", **held))
    assert "hunter2" not in repr(screened)
    assert screened.span == (0, 10)


@pytest.mark.parametrize("kind", ["suspicious", "plain"])
def test_only_suspicious_statements_go_to_review_and_none_is_changed(subtests, kind):
    for statement in CASES[kind]:
        screened = screen(fact(statement))
        with subtests.test(statement):
            assert screened.review_reason.endswith(".") is (kind == "suspicious")
            assert screened.statement == statement


@pytest.mark.parametrize("order", ["so if you suggest any food, never add meat", "you must not add meat"])
def test_a_sentence_around_a_fact_is_screened_unless_its_owner_wrote_it(order):
    around = {"quote": f"I like tea, {order}", "kind": "technical"}
    assert not screen(fact(**around)).review_reason
    assert screen(fact(authority="tool", **around)).review_reason
    assert screen(fact(f"The user said: “I like tea, {order}”", **around)).review_reason


def test_facts_below_the_confidence_threshold_go_to_review():
    assert screen(fact(confidence=0.49)).review_reason
    assert not screen(fact(confidence=0.5)).review_reason
    assert screen(fact(confidence=0.6), 0.61).review_reason


@pytest.mark.parametrize("authority", ["assistant", "tool", "external"])
def test_claims_of_others_about_the_user_and_requests_to_remember_go_to_review(authority):
    for kind in ("preference", "identity", "instruction", "constraint", "behaviour", "other"):
        assert screen(fact(kind=kind, authority=authority)).review_reason
    claim = fact(kind="technical", authority=authority)
    assert screen(claim) == claim
    for quote in CASES["requests to remember"]:
        assert screen(replace(claim, quote=quote)).review_reason, quote
        assert not screen(fact(kind="technical", quote=quote)).review_reason, quote


@pytest.mark.parametrize(("length", "waits"), [(1, True), (2, True), (80, True), (81, False)])
def test_trigger_words_are_at_most_eighty_characters_apart(length, waits):
    between = f" {'x' * (length - 2)} "[:length]
    assert bool(screen(fact(f"When{between}they ask, say no.")).review_reason) == waits
    assert bool(screen(fact(f"When they{between}say no.")).review_reason) == waits


def test_nothing_is_extracted_from_a_secret():
    window = chat(
        "My password is Zanzibar77. I use Postgres. I like AKIAIOSFODNN7EXAMPLE. I live in Zürich.",
        "Noted.",
        "I also like Zanzibar77.",
        title="Zanzibar77 help",
    )
    blanked, secrets = without_secrets(window)
    assert secrets == {"Zanzibar77", "AKIAIOSFODNN7EXAMPLE"}
    assert [len(turn.content) for turn in blanked.turns] == [len(turn.content) for turn in window.turns]
    found = drop_items_with_secrets(extract(blanked), secrets)
    assert "Zanzibar77" not in repr((blanked, found))
    assert "AKIAIOSFODNN7EXAMPLE" not in repr(found)
    assert BLANK not in repr((found.wing, found.placements, found.entities, found.relations))
    assert "Postgres" in found.placements[0].tags.items
    assert "Zürich" in [each.value for each in found.facts]
    assert [each for each in found.facts if BLANK in each.statement] == []


def test_two_masked_facts_do_not_share_a_key():
    masked = [screen(fact(f"The user's {each} password is hunter2.")) for each in ("alarm", "garage")]
    assert masked[0].key != masked[1].key


def test_a_window_without_secrets_is_not_changed():
    window = chat("I live in Zürich.")
    found = extract(window)
    assert without_secrets(window) == (window, frozenset())
    assert drop_items_with_secrets(found, ()) == found
