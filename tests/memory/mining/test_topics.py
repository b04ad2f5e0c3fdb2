"""The windows, topics, tags and wing of a chat, and where its topic shifts."""

from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llm import current
from llm.configuration import LOCAL
from llm.embedding_models import E5_SMALL
from memory.mining.tagging import tags_of
from memory.mining.topics import MAX_EXCHANGES, MAX_TURN_LENGTH, exchanges, topic_shift_after, topics
from memory.mining.types import WingGuess
from memory.mining.windows import memory_blocks, minable, windows, without_memory
from memory.mining.wings import known_wing, nearest_subject
from tests.cases import cases
from tests.memory.mining.chats import DRIFTING, SAID_AT, STEADY, chat, extract, turn

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


@pytest.mark.parametrize(
    ("said", "about"),
    [
        (BREAD, "sourdough"),
        (BREAD * 8, ""),
        ((*BREAD, "ok thanks", "You're welcome!", "great"), ""),
        (("帮我规划日本旅行的路线", "日本旅行可以先去东京，再去京都"), "日本"),
        (("ok", "yes", "🙂"), "general"),
    ],
    ids=["an exchange", "a long chat", "short remarks", "Chinese", "no subject"],
)
def test_turns_on_one_subject_share_a_topic(said, about):
    names = topics(chat(*said).turns)
    assert len(names) == len(said)
    assert len(set(names)) == 1
    assert about in names[0].casefold()


def test_a_new_subject_is_a_new_topic():
    names = topics(chat(*BREAD, *DATABASE).turns)
    assert len(set(names)) == 2
    assert len(set(names[:4])) == 1
    assert "autovacuum" in names[-1].casefold() or "postgres" in names[-1].casefold()
    assert topics([]) == []


REMARKS = ("ugh hes staying another three weeks", "I see.", "true, didnt dare to say", "Good.")


@pytest.mark.parametrize(
    ("said", "title", "names"),
    [
        ((*BREAD, *REMARKS), "", {"Sourdough starter"}),
        ((*REMARKS, *BREAD), "", {"Sourdough starter"}),
        (REMARKS, "Neighbours", {"Neighbours"}),
        (REMARKS, "", {"General"}),
        (
            ("Buenos días, en tres semanas empieza el curso de cerámica", "¡Qué bien!"),
            "Cerámica",
            {"Cerámica"},
        ),
        (("Qu'il doit changer l'école", "L’école change."), "", {"École"}),
    ],
)
def test_a_topic_is_named_by_words_that_several_turns_or_the_title_use(said, title, names):
    assert set(topics(chat(*said).turns, title)) == names


ENDINGS = (
    ("Thanks, that helps a lot.", "You're welcome!"),
    ("ok", "Anything else?"),
    ("Why?", "Because of the reasons given above."),
    ("Danke, super!", "Gern geschehen!"),
)
ENGLISH = [chat for chat in DRIFTING if chat[1][0][0].isascii() and "ä" not in str(chat[1])]
OTHERS = [chat for chat in DRIFTING if chat not in ENGLISH]


@pytest.fixture(scope="module")
def embedder():
    return current.embedder(LOCAL)


def turns(written):
    return chat(*(words for pair in written for words in pair)).turns


def drift(embedder, written):
    said = exchanges(turns(written))
    vectors = embedder.embed_documents([each.text for each in said]).vectors
    return topic_shift_after(said, vectors, embedder.model)


def test_a_topic_shift_is_found_after_the_right_exchange(embedder):
    assert (len(ENGLISH), len(OTHERS)) == (7, 3)
    found = [drift(embedder, chat) for _, chat in ENGLISH]
    assert found == [2 * exchanges_before for exchanges_before, _ in ENGLISH]
    for exchanges_before, written in OTHERS:  # may be missed but not misplaced
        assert drift(embedder, written) in (None, 2 * exchanges_before)


@pytest.mark.parametrize("ending", [(), *((ending,) for ending in ENDINGS)], ids=str)
def test_a_chat_on_one_subject_has_no_topic_shift(embedder, ending):
    assert [drift(embedder, (*chat, *ending)) for chat in STEADY] == [None] * 10


def test_a_topic_shift_needs_two_exchanges_before_and_one_after(embedder):
    _, chat = ENGLISH[0]
    for short in ((), chat[:1], chat[:2], (chat[0], chat[-1])):
        assert drift(embedder, short) is None


def test_an_exchange_ends_where_the_user_speaks_again_and_ignores_injected_memory():
    block = "<memory_context>\nYou love opera.\n</memory_context>"
    start = [turn("Be kind.", "system", 1), turn("Hello there.", "assistant", 2)]
    asked = [turn(f"{block}Which bread keeps?", "user", 3), turn('{"keeps": "rye"}', "tool", 4)]
    [only] = exchanges([*start, *asked, turn("Rye.", "assistant", 5), turn("And the oven?", "user", 6)])
    assert (only.last_sequence, only.text) == (5, 'Which bread keeps?\n{"keeps": "rye"}\nRye.')
    assert exchanges([turn(block, "user", 1), turn(block, "assistant", 2)])[0].may_begin is False


def test_only_the_beginning_of_long_turns_and_chats_is_read():
    long = exchanges([turn("rye " * 9_000, "user", 1), turn("oven " * 9_000, "assistant", 2)])
    assert len(long[0].text) == 2 * MAX_TURN_LENGTH + 1
    many = [turn("Bread?", "assistant" if n % 2 else "user", n + 1) for n in range(200)]
    assert len(exchanges(many)) == MAX_EXCHANGES


WORDS = "How do I feed my sourdough starter?"


def wing(*turns, known=(), model=LOCAL, **about):
    subject_of = partial(nearest_subject, current.embedder(model))
    return extract(chat(*(turns or (WORDS,)), **about), known, subject_of).wing


FOOD, GENERAL = WingGuess("topic", "Food and cooking"), WingGuess("topic", "General")
SAYS_NOTHING = (
    *("", "New chat", "New Conversation", "Untitled", "新对话", "Chat 3", "2024-04-17 10:00", "hi", "???"),
    "0b54b8a3-2f1e-4c69-9a0e-1b2c3d4e5f60",
)
GERMAN = "Mein Flug nach Oslo hat Verspätung, welches Hotel liegt beim Flughafen?"


@pytest.mark.parametrize(
    ("turns", "about", "expected"),
    [
        ((), {"project": "  Brightleaf ", "title": "Fixing a bug"}, WingGuess("project", "Brightleaf")),
        ((), {"title": "Baking with rye"}, FOOD),
        *(((), {"title": no}, FOOD) for no in SAYS_NOTHING),
        (("ok, thanks", "You're welcome!", "see you tomorrow"), {}, GENERAL),
        (("",), {}, GENERAL),
        ((GERMAN,), {}, GENERAL),
    ],
)
def test_the_wing_is_the_project_or_the_broad_subject_or_general(turns, about, expected):
    assert wing(*turns, **about) == expected


@pytest.mark.parametrize(
    ("said", "title", "subject"),
    [
        (GERMAN, "", "Travel"),
        ("J'ai repris après dix ans, par quelles pièces de Debussy commencer ?", "Piano", "Music"),
        (
            "Me han ofrecido el puesto de jefa de equipo pero sin subida de sueldo. ¿Acepto?",
            "",
            "Work and career",
        ),
        ("Стоит ли закрыть ипотеку досрочно или положить деньги на вклад?", "", "Money"),
        ("我的猫生病了,要看兽医吗?狗也病了", "", "Animals"),
        ("It failed on the brake pads. Is 480 fair for a repair?", "selling the car", "Cars and transport"),
        ("Guten Morgen! Wie geht es dir heute?", "Neuer Chat", "General"),
    ],
)
def test_the_multilingual_model_finds_the_subject_in_any_language(said, title, subject):
    assert wing(said, title=title, model=E5_SMALL.name) == WingGuess("topic", subject)


@pytest.mark.parametrize("title", ["rye  BREAD", "Rye bread", "Rye-bread", "Storing rye bread in summer"])
def test_a_known_wing_is_reused(title):
    known = [WingGuess("topic", "Tea"), WingGuess("project", "Rye bread")]
    assert wing(title=title, known=known) == known[1]


def test_a_known_wing_is_found_by_its_longest_name_in_a_text_but_not_by_a_short_or_common_one():
    bread, rye = WingGuess("topic", "Bread"), WingGuess("topic", "Rye bread")
    assert known_wing("Storing rye bread", [bread, rye]) == rye
    assert known_wing("Go and general stores", [GENERAL, WingGuess("topic", "Go")]) is None


def test_long_project_names_are_cut_and_a_topic_of_the_same_name_is_another_wing():
    assert wing(project="Brightleaf", known=[WingGuess("topic", "Brightleaf")]).kind == "project"
    name = wing(project="rye " * 40).name
    assert len(name) <= 60
    assert name.endswith("rye")


ROLES = st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), max_size=60)


@pytest.mark.parametrize(("count", "sizes"), [(26, [8, 8, 10]), (10, [10]), (11, [8, 3]), (3, [3]), (0, [])])
def test_windows_contain_eight_to_ten_turns_in_order(count, sizes):
    found = windows([turn("hello", sequence=n) for n in range(count, 0, -1)])
    assert [len(window) for window in found] == sizes
    assert [t.sequence for window in found for t in window] == [*range(1, count + 1)]


def test_windows_include_system_turns_without_counting_them():
    turns = [turn("be kind", "system", 1), *(turn("hello", sequence=n) for n in range(2, 11))]
    [window] = windows([*turns, turn("be brief", "system", 11)])
    assert window[-1].sequence == 11


@given(ROLES, st.integers(0, 60))
def test_windows_are_the_same_when_turns_follow_or_mining_resumes(roles, seen):
    turns = [turn("hello", role, n) for n, role in enumerate(roles, 1)]
    earlier, clean = windows(turns[:seen]), windows(turns)
    assert [t for window in clean for t in window] == turns
    assert clean[: max(len(earlier) - 1, 0)] == earlier[:-1], "later turns change only the last window"
    for done, window in enumerate(clean, 1):
        assert windows([t for t in turns if t.sequence > window[-1].sequence]) == clean[done:]


def test_only_system_turns_empty_turns_and_injected_memory_blocks_are_not_mined():
    block = "<memory_context date='x'>I live in Rome</memory_context>"
    for unmined in (turn("be kind", "system"), turn("  \n"), turn(block)):
        assert minable(unmined) is None
    kept = minable(turn(f"Hi {block}there"))
    assert kept is not None
    assert kept.content == "Hi there"
    said = turn("I wrote about <memory_context> yesterday")
    assert minable(said) is said


@given(st.lists(st.sampled_from(["<memory_context>", "</memory_context>", "a", "<MEMORY_CONTEXT x>"])))
@example(["<memory_context>"] * 2 + ["a"] + ["</memory_context>"] * 2)
def test_blanking_blocks_keeps_every_offset(parts):
    text = "".join(parts)
    blank = without_memory(text)
    assert len(blank) == len(text)
    covered = {n for start, end in memory_blocks(text) for n in range(start, end)}
    assert [n for n in range(len(text)) if n not in covered and blank[n] != text[n]] == []


def tags(text):
    return tags_of(text, SAID_AT)


def test_tags_of_messages():
    (lines,) = cases(__file__, "tags.txt").values()
    for text, name, value in (line.split(" | ") for line in lines):
        assert any(value in tag for tag in getattr(tags(text), name)), text
    for text in ("", "Please help me with this.", "The cat sat. Then it left!", "Однажды утром"):
        assert (tags(text).people, tags(text).places, tags(text).items) == ((), (), ())


def test_tags_are_unique_ignoring_case_at_most_eight_and_those_known_from_facts_first():
    assert tags("I met Anna. ANNA! Then Anna left").people == ("Anna",)
    assert len(tags(" and ".join(f"the XR{n}00 device" for n in range(1, 30))).items) == 8
    assert tags_of("we like tea, says wang min", SAID_AT, ["Wang Min"]).people == ("Wang Min",)


def test_tags_are_phrases_of_the_text():
    text = 'Anna\'s birthday party in Lyon is on May 3, I told Tom "See You".'
    found = tags(text)
    for value in (*found.people, *found.places, *found.events, *found.items, *found.times):
        assert value in text
