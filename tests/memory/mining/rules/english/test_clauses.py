import pytest

from memory.mining.rules.english.clauses import clauses


def parts(sentence: str) -> list[str]:
    return [clause.text for clause in clauses(sentence) if not clause.whole]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I'm 42 and I live in Rotterdam", ["I'm 42", "I live in Rotterdam"]),
        ("I live in Rome and work as a nurse", ["I live in Rome", "I work as a nurse"]),
        ("Dunno if it matters but i'm left-handed", ["I'm left-handed"]),
        ("honestly can't stand coriander", ["I can't stand coriander"]),
        ("working on my thesis", ["I'm working on my thesis"]),
        ("she told me I sing well and I know it", ["she told me I sing well"]),
        ("if I live in Texas, I need a hat", ["if I live in Texas"]),
        ("he was like I love it", ["he was like I love it"]),
        ("I cycle to the hospital where I'm a porter", ["I cycle to the hospital", "I'm a porter"]),
        ("I don't know where I live", ["I don't know"]),
        ("ported my whole blog to Astro", ["I ported my whole blog to Astro"]),
        (
            "ok here's the deal my name is Marisol I clean offices",
            ["my name is Marisol", "I clean offices"],
        ),
        ("Building a platform: I love it", ["Building a platform", "I love it"]),
    ],
)
def test_a_sentence_is_parted_where_somebody_begins_to_act(sentence, expected):
    assert parts(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "I don't have a car, you're mixing me up with somebody",
        "I'm basically 90 at this point haha",
    ],
)
def test_what_is_not_meant_has_no_clauses(sentence):
    assert list(clauses(sentence)) == []


def test_words_before_the_subject_are_a_setting():
    assert parts("In my twenties I sailed")[-1] == "I sailed"


def test_the_sentence_as_a_whole_comes_last():
    readings = list(clauses("ok so please always use metric units"))
    assert [reading.whole for reading in readings] == [False, True]
    assert readings[-1].text == "please always use metric units"
