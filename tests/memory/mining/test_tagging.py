import pytest

from memory.aaak import Tags
from memory.mining.tagging import tags_of
from tests.memory.mining.chats import SAID_AT


def tags(text: str) -> Tags:
    return tags_of(text, SAID_AT)


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        ("Yesterday I met Priya Nair for lunch", "people", "Priya Nair"),
        ("Then Anna called me", "people", "Anna"),
        ("I asked Dr. Okafor about it", "people", "Okafor"),
        ("We flew to New York in spring", "places", "New York"),
        ("The hills near Gruyères are green", "places", "Gruyères"),
        ("I bought an iPhone 15 for work", "items", "iPhone 15"),
        ('I just read "The Left Hand of Darkness" again', "items", "The Left Hand of Darkness"),
        ("Planning Anna's wedding now", "events", "Anna's wedding"),
        ("The job interview went well", "events", "job interview"),
        ("See you next Friday at 15:30", "times", "next Friday"),
        ("See you next Friday at 15:30", "times", "15:30"),
        ("你好，我叫王小明，住在北京", "people", "王小明"),
        ("我下个月去日本东京大学", "places", "东京"),
        ("明天有数学考试", "events", "数学考试"),
        ("明天有数学考试", "times", "明天"),
    ],
)
def test_tags_of_a_turn(text, line, value):
    found = getattr(tags(text), line)
    assert value in found or any(value in tag for tag in found)


@pytest.mark.parametrize(
    "text", ["", "Please help me with this.", "The cat sat. Then it left!", "Однажды утром"]
)
def test_ordinary_words_are_not_tagged_as_names(text):
    found = tags(text)
    assert (found.people, found.places, found.items) == ((), (), ())


def test_tags_are_unique_ignoring_case_and_at_most_eight():
    assert tags("I met Anna. ANNA! Then Anna left").people == ("Anna",)
    many = tags(" and ".join(f"the XR{n}00 device" for n in range(1, 30)))
    assert len(many.items) == 8


def test_people_known_from_facts_come_first():
    assert tags_of("we like tea, says wang min", SAID_AT, ["Wang Min"]).people == ("Wang Min",)


def test_tags_are_phrases_of_the_text():
    text = 'Anna\'s birthday party in Lyon is on May 3, I told Tom "See You".'
    found = tags(text)
    for line in (found.people, found.places, found.events, found.items, found.times):
        assert all(value in text for value in line)
