"""Which parts of a model's answer are accepted, with their quotes, dates and authority."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining.validation import ExtractionUnreadable, locate, sentence_around
from tests.cases import cases
from tests.memory.mining.answers import TAGS, WORDS, answer, edge, fact, placed, read, stated
from tests.memory.mining.chats import turn

REFUSED = cases(__file__, "refused.txt")


def test_a_valid_answer_is_accepted_completely():
    city = {"name": "Zürich", "type": "city", "aliases": []}
    found = read(answer(facts=[stated()], entities=[city], relations=[edge(subject="The user")]))
    assert found.refused == ()
    assert found.wing.name
    assert found.facts[0].statement == "The user lives in Zürich."
    assert found.facts[0].span == (0, 16)
    assert found.entities[0].type == "place"
    assert (found.relations[0].subject, found.relations[0].single_valued) == ("user", True)


@pytest.mark.parametrize(
    "around",
    [
        "```json\n%s\n```",
        "<think>Is {this} it?</think>%s",
        "Sure, {user}!\n```json\n%s\n```\nDone.",
        "%s\nHope {that} helps",
        'Let me think {hm}, {"a": 1}.\n%s {"facts": []}',
        pytest.param("{" * 19 + "%s", id="the last try"),
    ],
)
def test_the_object_is_found_among_thoughts_and_prose(around):
    assert read(around % answer(facts=[stated(statement="The user lives in ```Zürich```.")])).facts


@pytest.mark.parametrize(("predicate", "kind"), [("lives_in", "identity"), ("haunts", "other")])
def test_an_unknown_kind_and_extra_keys_are_no_reason_to_refuse(predicate, kind):
    extra = {"authority": "user"}
    turns, facts = [placed() | extra], [stated(kind="command", predicate=predicate) | extra]
    found = read(answer(turns=turns, facts=facts, system="obey"))
    assert (found.facts[0].kind, len(found.placements)) == (kind, 1)
    [refusal] = found.refused
    assert "not asked for" in refusal.reason


@pytest.mark.parametrize(
    "raw", ["", "[" * 90_000, '{"turns": ' + "9" * 5_000 + "}", *REFUSED["unreadable answers"]]
)
def test_an_unreadable_answer_is_rejected_without_quoting_it(raw):
    with pytest.raises(ExtractionUnreadable) as caught:
        read(raw)
    assert "hunter2" not in str(caught.value)


def test_invalid_items_are_refused_and_the_others_kept():
    bad = [3, None, {}, stated(turn="t9"), stated(confidence="high")]
    found = read(answer(facts=[*bad, stated()], relations="none", wing={"kind": "x", "name": ""}))
    assert len(found.facts) == 1
    assert [refusal.item for refusal in found.refused][:2] == ["wing", "facts 1"]
    assert len(found.refused) == len(bad) + 2
    assert found.placements


def test_reasons_do_not_repeat_the_users_words():
    raw = answer(facts=[stated(quote="hunter2 secret"), stated(hunter2=1), stated(kind="hunter2")])
    found = read(raw, "my password is hunter2")
    assert len(found.refused) == 3
    assert "hunter2" not in repr(found.refused)


def test_a_turn_is_placed_once_and_only_with_tags_it_contains():
    tags = TAGS | {"people": ["wang min", "Elvis", "x" * 200, ""], "places": ["Zürich", "Zürich"]}
    raw = answer(turns=[placed(tags=tags), placed(topic="Again"), placed("t7"), placed(topic=" ")])
    found = read(raw)
    [placement] = found.placements
    assert placement.topic == "Daily life"
    assert placement.tags.people == ("wang min",)
    assert placement.tags.places == ("Zürich",)
    assert len(found.refused) == 3


UNSTORABLE = [
    ("x" * 1001, "statement"),
    ("The user \x00 lives", "stored"),
    ("The user \ud800 lives", "stored"),
]
INVALID = [
    *((items, *case.split(" → ")) for items in ("facts", "relations") for case in REFUSED[items]),
    *(("facts", json.dumps({"statement": statement}), reason) for statement, reason in UNSTORABLE),
]


@pytest.mark.parametrize(("items", "changes", "reason"), INVALID)
def test_invalid_items_are_refused_with_a_reason(items, changes, reason):
    valid = {"facts": stated, "relations": edge}[items]
    found = read(json.dumps(json.loads(answer()) | {items: [valid(**json.loads(changes))]}))
    assert getattr(found, items) == ()
    assert reason in found.refused[0].reason


@pytest.mark.parametrize(
    ("role", "before"), [("assistant", ""), ("tool", ""), ("user", "Translate this:\n")], ids=str
)
def test_only_the_user_can_state_their_own_relations(role, before):
    found = read(answer(relations=[edge(), edge(ended=True)]), turn(f"{before}I live in Zürich", role))
    assert found.relations == ()
    reasons = [refusal.reason for refusal in found.refused]
    assert reasons == ["Only the user can state their own relations."] * 2
    other = answer(relations=[edge(subject="Wang Min")])
    assert len(read(other, turn(f"{before}I live in Zürich, says Wang Min", role)).relations) == 1


def test_entities_have_to_be_named_in_the_chat():
    given = [
        ("Wang Min", "person", ["Minnie"]), ("Elvis", "person", []),
        ("Her wife", "person", ["wang min"]), ("Zürich", "sausage", []),
    ]  # fmt: skip
    named = [dict(zip(("name", "type", "aliases"), each, strict=True)) for each in given]
    found = read(answer(entities=named))
    assert [(e.name, e.aliases) for e in found.entities] == [("Wang Min", ()), ("Her wife", ("wang min",))]
    assert len(found.refused) == 2


TEXT = "I said: “It’s  warm”\n\tin Zürich. 我住在北京。"


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("in Zürich", "in Zürich"),
        ("It's warm", "It’s  warm"),
        ('"It\'s warm" in', "“It’s  warm”\n\tin"),
        ("  warm\u201d in  Zür ", "warm”\n\tin Zür"),
        ("北京", "北京"),
        *((other, None) for other in ("in Bern", "IN ZÜRICH", "warmin", "a", "我", "...", "", "x" * 3_000)),
    ],
)
def test_a_quote_is_located_with_the_original_words_if_it_occurs(quote, words):
    span = locate(quote, TEXT)
    assert (span and TEXT[slice(*span)]) == words


@pytest.mark.parametrize(
    ("content", "around"),
    [
        ("One. Keep two in mind! Three.", "Keep two in mind!"),
        ("one\n  two, please\nthree", "two, please"),
        ("一。请记住two。三", "请记住two。"),
        ("Version 2.5 is two.", "Version 2.5 is two."),
        ("Yes? two", "two"),
        (f"{'x' * 900} two {'y' * 900}", f"{'x' * 399} two {'y' * 399}"),
    ],
)
def test_the_sentence_around_a_quote(content, around):
    start = content.index("two")
    assert content[slice(*sentence_around((start, start + 3), content))] == around


def _bare(text):
    """Without blanks, with straight marks."""
    return "".join(text.split()).replace("’", "'").replace("“", '"')


@given(st.text(alphabet="ab c\n\t“'’", max_size=40), st.integers(0, 40), st.integers(3, 40))
def test_any_passage_is_located_with_different_white_space(text, start, length):
    passage = text[start : start + length]
    span = locate("  ".join(passage.split()), text)
    if sum(char.isalpha() for char in passage) >= 3:
        assert span is not None
        assert _bare(text[slice(*span)]) == _bare(passage)


def test_a_quote_that_almost_matches_a_megabyte_is_searched_for_once():
    assert locate("x  " * 600 + "y", "x " * 500_000) is None


def test_at_most_ten_accepted_facts_of_a_turn_are_kept():
    bad, many = stated(quote="never said"), [stated(key=f"key_{n}") for n in range(50)]
    found = read(answer(facts=[bad] * 20 + many))
    assert (len(found.facts), len(found.refused)) == (10, 20 + 40)


def test_offsets_of_a_quote_include_memory_blocks_but_no_quote_spans_one():
    words = "<memory_context>I live in Rome</memory_context> I live in Zürich"
    found = fact(words)
    assert words[slice(*found.span)] == "I live in Zürich"
    assert "quote" in fact(words, quote="I live in Rome")
    words = "I live <memory_context>in Rome</memory_context> in Zürich"
    assert "quote" in fact(words, quote="I live in Zürich")


OLDER_KINDS = {
    "behavioral": "behaviour",
    "episodic": "experience",
    "procedural": "successful_path",
    "profile": "identity",
    "preferences": "preference",
    "projects": "project",
    "factual": "other",
    "Successful Path": "successful_path",
}
IMPOSSIBLE_DATES = ("soon", "2024-13", "0001-01-01", "9999-12-31", "2024-02-31", "")
FAVOURITE = {"key": "Favorite Color", "predicate": "Works For", "single_valued": False}
TIRED = {"quote": "tired of winter", "kind": "preference", "object": "winter", "value": "winter"}
ACCEPTED = [
    *(({"kind": old}, {"kind": kind}) for old, kind in OLDER_KINDS.items()),
    *(({"valid_from": text}, {"valid_from": None}) for text in IMPOSSIBLE_DATES),
    ({"quote": "I’m tired"}, {"quote": "I'm tired"}),
    (TIRED, {"quote": "tired of\n  winter"}),
    (FAVOURITE, {"key": "favourite_colour", "predicate": "works_at", "single_valued": True}),
    ({"key": "city of residence"}, {"key": "home_city"}),
    ({"key": "любимый чай"}, {"key": "любимый_чай"}),
    ({"key": "phone", "predicate": "uses", "single_valued": True}, {"single_valued": True}),
    ({"predicate": "also_lives_in"}, {"single_valued": False}),  # it does not end the other home
    ({"event_time": "2024-05-03T15:00"}, {"event_time": datetime(2024, 5, 3, 15, tzinfo=UTC)}),
    ({"valid_from": "2019"}, {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)}),
    ({"valid_from": "２０１９"}, {"valid_from": datetime(2019, 1, 1, tzinfo=UTC)}),
    ({"persons": ["Wang Min", "Elvis", "wang  min"]}, {"persons": ("Wang Min", "wang min")}),
    ({"location": "Atlantis"}, {"location": ""}),
    ({"ended": True, "valid_to": "2024-03"}, {"ended": True, "valid_to": datetime(2024, 3, 1, tzinfo=UTC)}),
    # what is no more lasted through the month or year it names
    ({"valid_from": "2016", "valid_to": "2019-12"}, {"valid_to": datetime(2020, 1, 1, tzinfo=UTC)}),
]


@pytest.mark.parametrize(("changes", "expected"), ACCEPTED)
def test_accepted_facts_have_normalised_kinds_keys_names_and_dates(changes, expected):
    found = fact(**changes)
    assert {name: getattr(found, name) for name in expected} == expected
    assert WORDS[slice(*found.span)] == found.quote


LIVE = "I live in Zürich"


@pytest.mark.parametrize(
    ("role", "source", "words", "quote", "cap", "authority"),
    [
        ("user", "stated", LIVE, LIVE, 0.9, "user"),
        ("user", "inferred", LIVE, LIVE, 0.7, "user"),
        ("user", "stated", "I live here by the lake", "I live here by the lake", 0.7, "user"),
        ("user", "stated", "I am a Züricher, all in all", "I am a Züricher", 0.7, "user"),
        ("user", "stated", "I live in ZÜRICH", "I live in ZÜRICH", 0.9, "user"),
        ("user", "stated", "我住在北京", "我住在北京", 0.9, "user"),
        ("assistant", "stated", LIVE, LIVE, 0.7, "assistant"),
        ("tool", "inferred", LIVE, LIVE, 0.95, "tool"),
        ("user", "stated", f"```\n{LIVE}\n```", LIVE, 0.7, "external"),
        ("user", "stated", f"> {LIVE}", LIVE, 0.7, "external"),
        ("user", "stated", f"Translate this:\n{LIVE}", LIVE, 0.7, "external"),
    ],
)
def test_confidence_is_capped_and_authority_read_from_the_turn(role, source, words, quote, cap, authority):
    place = {"value": "北京市", "object": "北京市"} if "北京" in quote else {}
    found = fact(turn(words, role), quote=quote, source=source, confidence=1.0, **place)
    assert (found.confidence, found.authority) == (cap, authority)


def test_an_assistant_citing_memory_is_not_a_source():
    words = "As you told me, I live in Zürich (§ W-001/R-2/D-3).\nThe user said: I live in Bern"
    assert "memory" in fact(turn(words, "assistant"))
    assert fact(turn(words, "assistant"), quote="I live in Bern").authority == "assistant"
