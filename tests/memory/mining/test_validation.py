import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining.validation import ExtractionUnreadable, locate, mentions, sentence_around, shares_words
from tests.memory.mining.answers import TAGS, answer, edge, placed, read, stated
from tests.memory.mining.chats import turn


def test_an_honest_answer_is_accepted_whole():
    found = read(
        answer(
            facts=[stated()],
            entities=[{"name": "Zürich", "type": "city", "aliases": []}],
            relations=[edge()],
        )
    )
    assert found.refused == ()
    assert found.wing is not None
    assert found.facts[0].statement == "The user lives in Zürich."
    assert found.facts[0].span == (0, 16)
    assert found.entities[0].type == "place"
    assert found.relations[0].single_valued


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "Sorry, I can't.",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"wing": 3}',
        '{"facts": ',
        "[" * 90_000,
        '{"turns": ' + "9" * 5_000 + "}",
    ],
)
def test_what_is_no_answer_is_unreadable(raw):
    with pytest.raises(ExtractionUnreadable):
        read(raw)


def test_what_cannot_be_read_is_not_repeated_in_the_error():
    with pytest.raises(ExtractionUnreadable) as caught:
        read('{"facts": [{"statement": "my password is hunter2"')
    assert "hunter2" not in str(caught.value)


def test_a_fenced_answer_is_read():
    assert read(f"```json\n{answer(facts=[stated()])}\n```").facts


def test_one_bad_item_never_costs_the_others():
    bad = [3, None, {}, stated(extra=1), stated(turn="t9"), stated(confidence="high")]
    found = read(answer(facts=[*bad, stated()], relations="none", wing={"kind": "x", "name": ""}))
    assert len(found.facts) == 1
    assert [refusal.item for refusal in found.refused][:2] == ["wing", "facts 1"]
    assert len(found.refused) == len(bad) + 2
    assert found.placements


def test_unknown_keys_beside_the_lists_are_ignored_but_told():
    found = read(answer(facts=[stated()], system="obey"))
    assert found.facts
    assert "not asked for" in found.refused[0].reason


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


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"object": "Atlantis"}, "does not occur"),
        ({"subject": "Elvis"}, "does not occur"),
        ({"subject": "Zürich"}, "same"),
        ({"valid_from": "2024", "valid_to": "2023"}, "before it begins"),
        ({"relation": "??"}, "no letters"),
        ({"quote": "we never said"}, "quote"),
        ({"confidence": 2}, "confidence"),
    ],
)
def test_a_relation_is_refused(changes, reason):
    found = read(answer(relations=[edge(**changes)]))
    assert found.relations == ()
    assert reason in found.refused[0].reason


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("assistant", "I live in Zürich"),
        ("tool", "I live in Zürich"),
        ("user", "Translate this:\nI live in Zürich"),
    ],
)
def test_how_the_user_stands_to_others_is_theirs_to_say(role, words):
    quoted = {"quote": "I live in Zürich"}
    found = read(answer(relations=[edge(**quoted), edge(ended=True, **quoted)]), turn(words, role))
    assert found.relations == ()
    assert [refusal.reason for refusal in found.refused] == [
        "Only the user can state their own relations."
    ] * 2
    other = {"subject": "Wang Min", "object": "Zürich", "quote": words.splitlines()[-1]}
    told = turn(f"{words}, says Wang Min", role)
    assert len(read(answer(relations=[edge(**other)]), told).relations) == 1


def test_entities_have_to_be_named_in_the_chat():
    raw = answer(
        entities=[
            {"name": "Wang Min", "type": "person", "aliases": ["Minnie"]},
            {"name": "Elvis", "type": "person", "aliases": []},
            {"name": "Her wife", "type": "person", "aliases": ["wang min"]},
            {"name": "Zürich", "type": "sausage", "aliases": []},
        ]
    )
    found = read(raw)
    assert [(e.name, e.aliases) for e in found.entities] == [
        ("Wang Min", ()),
        ("Her wife", ("wang min",)),
    ]
    assert len(found.refused) == 2


def test_the_owner_is_called_user_whatever_the_model_says():
    [relation] = read(answer(relations=[edge(subject="The user")])).relations
    assert relation.subject == "user"


TEXT = "I said: “It’s  warm”\n\tin Zürich. 我住在北京。"


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("in Zürich", "in Zürich"),
        ("It's warm", "It’s  warm"),
        ('"It\'s warm" in', "“It’s  warm”\n\tin"),
        ("  warm\u201d in  Zür ", "warm”\n\tin Zür"),
        ("北京", "北京"),
    ],
)
def test_a_quote_is_found_with_its_true_words(quote: str, words: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert TEXT[slice(*span)] == words


@pytest.mark.parametrize("quote", ["in Bern", "IN ZÜRICH", "warmin", "a", "我", "...", "", "x" * 3_000])
def test_what_was_not_said_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


@pytest.mark.parametrize(
    ("content", "words", "around"),
    [
        ("One. Keep two in mind! Three.", "two", "Keep two in mind!"),
        ("one\n  two, please\nthree", "two", "two, please"),
        ("一。请记住二。三", "二", "请记住二。"),
        ("Version 2.5 is two.", "two.", "Version 2.5 is two."),
        ("two", "two", "two"),
        ("Yes? two", "two", "two"),
        (f"{'x' * 900} two {'y' * 900}", "two", f"{'x' * 399} two {'y' * 399}"),
    ],
)
def test_the_sentence_around_a_quote(content: str, words: str, around: str) -> None:
    start = content.index(words)
    assert content[slice(*sentence_around((start, start + len(words)), content))] == around


def _bare(text: str) -> str:
    """Without blanks, with straight marks."""
    return "".join(text.split()).replace("’", "'").replace("“", '"')


@given(st.text(alphabet="ab c\n\t“'’", max_size=40), st.integers(0, 40), st.integers(3, 40))
def test_any_stretch_is_found_again_with_other_blanks(text: str, start: int, length: int) -> None:
    stretch = text[start : start + length]
    span = locate("  ".join(stretch.split()), text)
    if sum(char.isalpha() for char in stretch) >= 3:
        assert span is not None
        assert _bare(text[slice(*span)]) == _bare(stretch)


def test_a_quote_that_nearly_fits_a_megabyte_of_places_is_looked_up_once() -> None:
    assert locate("x  " * 600 + "y", "x " * 500_000) is None


def test_names_are_mentioned_whatever_their_case_and_blanks() -> None:
    assert mentions("Wang  MIN", ["my wife wang min"])
    assert not mentions(" ", ["my wife"])


def test_words_are_shared_in_any_script() -> None:
    assert shares_words("Zürich, Switzerland", "I live in ZÜRICH")
    assert shares_words("北京市", "我住在北京")
    assert not shares_words("Rome", "I live in Romania")
