import pytest

from memory.mining.tagging import tags_of
from tests.cases import cases
from tests.memory.mining.chats import SAID_AT


def tags(text):
    return tags_of(text, SAID_AT)


def test_tags_of_messages(subtests):
    (lines,) = cases(__file__, "tags.txt").values()
    for line in lines:
        text, name, value = line.split(" | ")
        with subtests.test(line):
            assert any(value in tag for tag in getattr(tags(text), name))


@pytest.mark.parametrize(
    "text", ["", "Please help me with this.", "The cat sat. Then it left!", "Однажды утром"]
)
def test_ordinary_words_are_not_tagged_as_names(text):
    found = tags(text)
    assert (found.people, found.places, found.items) == ((), (), ())


def test_tags_are_unique_ignoring_case_at_most_eight_and_those_known_from_facts_first():
    assert tags("I met Anna. ANNA! Then Anna left").people == ("Anna",)
    assert len(tags(" and ".join(f"the XR{n}00 device" for n in range(1, 30))).items) == 8
    assert tags_of("we like tea, says wang min", SAID_AT, ["Wang Min"]).people == ("Wang Min",)


def test_tags_are_phrases_of_the_text():
    text = 'Anna\'s birthday party in Lyon is on May 3, I told Tom "See You".'
    found = tags(text)
    for value in (*found.people, *found.places, *found.events, *found.items, *found.times):
        assert value in text
