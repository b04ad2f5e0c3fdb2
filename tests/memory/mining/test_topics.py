"""Topics of a window, and where the topic of a chat changes: with the real model of the threshold."""

import pytest

from llm import current
from llm.configuration import LOCAL
from memory.mining.topics import MAX_EXCHANGES, TURN_SHOWN, drifted_after, exchanges, topics
from memory.mining.windows import minable
from tests.memory.mining.chats import DRIFTING, STEADY, Chat, chat, turn

BREAD = (
    "How do I feed a sourdough starter with rye flour?",
    "Feed the sourdough starter with equal parts rye flour and water, then keep the jar warm.",
    "How warm should the sourdough jar be?",
    "Keep the sourdough jar at 24 degrees so that the starter rises.",
)
DATABASE = (
    "How do I tune Postgres autovacuum for a busy insert table?",
    "Lower the autovacuum scale factor on the busy Postgres table and watch dead tuples.",
)


def test_an_exchange_shares_its_topic():
    names = topics(chat(*BREAD).turns)
    assert len(set(names)) == 1
    assert "sourdough" in names[0].casefold()


def test_a_new_subject_is_a_new_topic():
    names = topics(chat(*BREAD, *DATABASE).turns)
    assert len(set(names)) == 2
    assert len(set(names[:4])) == 1
    assert "autovacuum" in names[-1].casefold() or "postgres" in names[-1].casefold()


def test_short_remarks_stay_with_what_they_are_about():
    names = topics(chat(*BREAD, "ok thanks", "You're welcome!", "great").turns)
    assert len(set(names)) == 1


def test_topics_are_few_in_a_long_chat_on_one_subject():
    turns = chat(*(BREAD * 8)).turns
    assert len(set(topics(turns))) == 1


def test_chinese_has_topics_too():
    names = topics(chat("帮我规划日本旅行的路线", "日本旅行可以先去东京，再去京都").turns)
    assert "日本" in names[0]


def test_what_says_nothing_has_a_topic_all_the_same():
    assert topics(chat("ok", "yes", "🙂").turns) == ["General"] * 3
    assert topics([]) == []


ENDINGS = (
    ("Thanks, that helps a lot.", "You're welcome!"),
    ("ok", "Anything else?"),
    ("Can you make that shorter?", "Sure: here is a short version of it."),
    ("Why?", "Because of the reasons given above."),
    ("What do you mean by that?", "I mean that it depends on your situation."),
    ("Danke, super!", "Gern geschehen!"),
)
ENGLISH = [chat for chat in DRIFTING if chat[1][0][0].isascii() and "ä" not in str(chat[1])]
OTHERS = [chat for chat in DRIFTING if chat not in ENGLISH]


@pytest.fixture(scope="module")
def embedder():
    return current.embedder(LOCAL)


def turns(chat: Chat):
    said = [words for pair in chat for words in pair]
    return [
        turn(words, "assistant" if number % 2 else "user", number + 1) for number, words in enumerate(said)
    ]


def drift(embedder, chat: Chat) -> int | None:
    said = exchanges(turns(chat))
    vectors = embedder.embed_documents([each.text for each in said]).vectors
    return drifted_after(said, vectors, embedder.model)


def test_the_chats_written_for_it_are_of_both_kinds():
    assert (len(ENGLISH), len(OTHERS), len(STEADY)) == (7, 3, 10)


def test_a_change_of_subject_is_found_where_it_is(embedder):
    found = [drift(embedder, chat) for _, chat in ENGLISH]
    assert found == [2 * exchanges_before for exchanges_before, _ in ENGLISH]


def test_in_other_languages_it_may_be_missed_but_never_misplaced(embedder):
    for exchanges_before, written in OTHERS:
        assert drift(embedder, written) in (None, 2 * exchanges_before)


def test_a_chat_that_stays_with_its_subject_has_none(embedder):
    assert [drift(embedder, chat) for chat in STEADY] == [None] * len(STEADY)


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending[0])
def test_words_that_name_nothing_begin_no_subject(embedder, ending):
    assert [drift(embedder, (*chat, ending)) for chat in STEADY] == [None] * len(STEADY)


def test_it_takes_two_exchanges_before_and_one_after(embedder):
    _, chat = ENGLISH[0]
    for short in ((), chat[:1], chat[:2], (chat[0], chat[-1])):
        assert drift(embedder, short) is None


def test_an_exchange_ends_where_the_person_speaks_again():
    said = exchanges(
        [
            turn("Be kind.", "system", 1),
            turn("Hello there.", "assistant", 2),
            turn("Which bread keeps longest?", "user", 3),
            turn('{"bread": "rye"}', "tool", 4, tool_name="look_up"),
            turn("Rye.", "assistant", 5),
            turn("And the oven?", "user", 6),
        ]
    )
    assert [each.last_sequence for each in said] == [5]
    assert said[0].text == 'Which bread keeps longest?\n{"bread": "rye"}\nRye.'


def test_injected_memory_does_not_count():
    block = "<memory_context>\nYou love opera.\n</memory_context>"
    (said,) = exchanges([turn(f"{block}Rye bread?", "user", 1), turn("Yes.", "assistant", 2)])
    assert said.text == "Rye bread?\nYes."
    assert minable(turn(block)) is None
    assert exchanges([turn(block, "user", 1), turn(block, "assistant", 2)])[0].may_begin is False


def test_only_the_beginning_of_long_turns_and_chats_is_read():
    long = exchanges([turn("rye " * 9_000, "user", 1), turn("oven " * 9_000, "assistant", 2)])
    assert len(long[0].text) == 2 * TURN_SHOWN + 1
    many = [turn("Bread?", "assistant" if n % 2 else "user", n + 1) for n in range(200)]
    assert len(exchanges(many)) == MAX_EXCHANGES


def test_a_vector_of_nothing_is_no_reason_to_stop(embedder):
    said = exchanges(turns(((" ", " "), ("", " "), ("Rye bread keeps.", "Yes."))))
    vectors = embedder.embed_documents([each.text for each in said]).vectors
    assert drifted_after(said, 0 * vectors, embedder.model) in (None, 4)
