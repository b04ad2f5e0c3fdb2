import pytest

from bench.errors import BenchmarkImpossible
from bench.languages.stories import LANGUAGES, sessions, stories
from memory.languages import language_of


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_tells_the_same_in_its_own_words(language):
    told = stories(language)
    facts = [story for story in told if story.id]
    assert [story.id for story in facts] == [story.id for story in stories("en") if story.id]
    assert all(story.said and story.asked for story in facts)
    remarks = {story.said for story in told if story.said}
    assert (len(facts), len(remarks), len(told)) == (60, 150, 162)
    spoken = [language_of(story.said or story.asked) for story in told]
    assert spoken.count(language) > 150


def test_the_remarks_are_mixed_alike_in_every_language():
    chats = {language: sessions(stories(language)) for language in ("en", "zh")}
    assert [len(chat.turns) for chat in chats["en"]] == [5] * 30
    dogs = [
        next(n for n, chat in enumerate(some) if any(word in turn.content for turn in chat.turns))
        for some, word in ((chats["en"], "Bruno"), (chats["zh"], "布鲁诺"))
    ]
    assert dogs[0] == dogs[1]


def test_an_unknown_language_has_no_stories():
    with pytest.raises(BenchmarkImpossible):
        stories("xx")
