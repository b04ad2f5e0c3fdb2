import pytest

from memory.mining.rules.english.grammar import clause


@pytest.mark.parametrize(
    "words",
    [
        "<I'm>from <place>",
        "(?:<I>live|<my>home is) <o>",
        "(?!I am)(?:I|we) <o>",
        "(?P<o>my (?:a|b))",
    ],
)
def test_words_that_begin_with_the_speaker_are_looked_for_only_there(words):
    hint = clause(words).hint
    assert hint is not None
    assert hint.search("we live here")
    assert hint.search("My home")
    assert not hint.search("Iceland is cold")
    assert not hint.search("so I said")


@pytest.mark.parametrize(
    "words", ["<o> is my home", "(?:my )?name is <o>", "I <o>|by day <o2>", "[Im]y"]
)
def test_other_words_are_looked_for_everywhere(words):
    assert clause(words.replace("<o2>", "x")).hint is None
