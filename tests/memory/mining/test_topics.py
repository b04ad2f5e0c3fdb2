from memory.mining.topics import topics
from tests.memory.mining.chats import chat

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
