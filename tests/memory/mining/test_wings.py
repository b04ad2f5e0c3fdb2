from collections.abc import Sequence

import pytest

from memory.mining.types import WingGuess
from memory.mining.wings import known_wing
from tests.memory.mining.chats import chat
from tests.memory.mining.reading import extract

WORDS = "How do I feed my sourdough starter?"


def wing(*turns: str, known: Sequence[WingGuess] = (), **about: str) -> WingGuess:
    return extract(chat(*(turns or (WORDS,)), **about), known).wing


def test_a_project_is_its_own_wing():
    assert wing(project="  Brightleaf ", title="Fixing a bug") == WingGuess("project", "Brightleaf")


def test_else_the_broad_subject_of_the_words():
    assert wing(title="Baking with rye") == WingGuess("topic", "Food and cooking")
    assert wing("My flight to Oslo is late, which hotel near the airport?").name == "Travel"
    assert wing("我的猫生病了,要看兽医吗?狗也病了").name in {"Animals", "Health"}


@pytest.mark.parametrize(
    "title",
    [
        "",
        "New chat",
        "New Conversation",
        "Untitled",
        "新对话",
        "Chat 3",
        "2024-04-17 10:00",
        "hi",
        "0b54b8a3-2f1e-4c69-9a0e-1b2c3d4e5f60",
        "???",
    ],
)
def test_else_what_the_user_speaks_about(title):
    words = "How do I feed my sourdough starter before baking bread?"
    assert wing(words, title=title).name == "Food and cooking"


def test_else_general():
    assert wing("ok", "fine", "thanks") == WingGuess("topic", "General")


def test_the_assistant_does_not_name_the_wing():
    assert "banana" not in wing(WORDS, "banana " * 50).name.casefold()


@pytest.mark.parametrize("title", ["rye  BREAD", "Rye bread", "Rye-bread", "Storing rye bread in summer"])
def test_a_known_wing_is_used_again(title):
    known = [WingGuess("topic", "Tea"), WingGuess("project", "Rye bread")]
    assert wing(title=title, known=known) == known[1]


def test_a_short_or_common_name_inside_another_is_not_taken_for_it():
    known = [WingGuess("topic", "General"), WingGuess("topic", "Go")]
    assert known_wing("Go and general stores", known) is None


def test_the_longest_known_name_wins():
    known = [WingGuess("topic", "Bread"), WingGuess("topic", "Rye bread")]
    assert known_wing("Storing rye bread", known) == known[1]


def test_a_project_is_not_mistaken_for_a_topic_of_the_same_name():
    known = [WingGuess("topic", "Brightleaf")]
    assert wing(project="Brightleaf", known=known).kind == "project"


def test_one_chat_is_not_a_subject_of_its_own():
    assert wing("Zyx qwv?", title="Wonderful zyx of the qwv") == WingGuess("topic", "General")


def test_long_project_names_are_cut_between_words():
    name = wing(project="rye " * 40).name
    assert len(name) <= 60
    assert name.endswith("rye")
