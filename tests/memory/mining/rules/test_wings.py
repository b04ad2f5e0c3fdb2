from collections.abc import Sequence

import pytest

from memory.mining.rules import extract
from memory.mining.rules.wings import known_wing
from memory.mining.types import WingGuess
from tests.memory.mining.chats import chat

WORDS = "How do I feed my sourdough starter?"


def wing(*turns: str, known: Sequence[WingGuess] = (), **about: str) -> WingGuess:
    return extract(chat(*(turns or (WORDS,)), **about), known).wing


def test_a_project_is_its_own_wing():
    assert wing(project="  Brightleaf ", title="Fixing a bug") == WingGuess("project", "Brightleaf")


def test_else_the_title_if_it_means_something():
    assert wing(title="Baking with rye") == WingGuess("topic", "Baking with rye")
    assert wing(title="Help with rye bread?").name == "Rye bread"


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
    assert "sourdough" in wing(title=title).name.casefold()


def test_else_general():
    assert wing("ok", "fine", "thanks") == WingGuess("topic", "General")


def test_the_assistant_does_not_name_the_wing():
    assert "banana" not in wing(WORDS, "banana " * 50).name.casefold()


@pytest.mark.parametrize(
    "title", ["rye  BREAD", "Rye bread", "Rye-bread", "Storing rye bread in summer"]
)
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


def test_long_titles_are_cut_between_words():
    name = wing(title="rye " * 40).name
    assert len(name) <= 60
    assert name.endswith("rye")


def test_a_person_the_chat_is_titled_after_is_a_person():
    assert wing("Wang Min is my wife.", title="Wang Min") == WingGuess("person", "Wang Min")
