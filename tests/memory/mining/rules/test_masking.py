import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining.rules.masking import handed_over, spoken
from memory.mining.rules.sentences import sentences


@pytest.mark.parametrize(
    "pasted",
    [
        "```python\nI live in Rome\n```",
        "~~~\nI live in Rome",
        "> I live in Rome",
        "$ echo I live in Rome",
        "[2024-04-17 10:00] I live in Rome",
        "ERROR: I live in Rome",
        '  "bio": "I live in Rome",',
        "| I live in Rome | x |",
        "assistant: I live in Rome",
        'She wrote "I live in Rome" on it',
        "«Я живу в Риме»",
        "Auf seinem T-Shirt stand »I live in Rome«",
        "Er rief ‚I live in Rome‘ und ging",
        "Il a crié ‹I live in Rome›",
        "The sign: 'I live in Rome'",
        "壁に『I live in Rome』とある",
        "In der Zeitung stand »People live in Rome«",
        "Gedicht bitte aus Sicht einer Kuh: I live in Rome",
        "Escribe un cuento sobre un faro: I live in Rome",
        "Продолжи сказку: I live in Rome",
        "Summarise this text:\nI live in Rome",
    ],
)
def test_what_is_pasted_or_quoted_is_blanked(pasted):
    text = f"Hello.\n{pasted}"
    blank = spoken(text)
    assert "live in" not in blank
    assert "живу" not in blank
    assert blank.startswith("Hello.")
    assert len(blank) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "I use `vim` daily",
        'My favourite book is "Dune"',
        "I live in Rome: it is warm.",
        "1. I live in Rome\n- I like tea",
        "Note: I live in Rome",
        "Ich wohne in »Ulm«, der »Stadt der Spatzen«, und mag es",
        "I like 'How I Built This', my dogs' food and the '90s",
        "Ich habe gesagt »nur Tee«",
        "We drafted the 'tell me about me' answer last time",
    ],
)
def test_own_words_stay(text):
    assert spoken(text) == text


@given(st.text(alphabet='ab"“”«»`\n>~: I', max_size=60))
def test_blanking_never_moves_a_word(text):
    blank = spoken(text)
    assert len(blank) == len(text)
    assert all(new in (old, "\n") for new, old in zip(blank, text, strict=True))


def test_sentences_end_where_people_end_them():
    text = "I met Dr. Smith at 3.15 p.m. in St. Gallen. It rained!  真的吗？好。"
    assert [s.text for s in sentences(text)] == [
        "I met Dr. Smith at 3.15 p.m. in St. Gallen.",
        "It rained!",
        "真的吗？",
        "好。",
    ]


def test_sentences_know_their_place():
    text = " * One.\n\n  Two is longer.  "
    assert [text[s.start : s.start + len(s.text)] for s in sentences(text)] == [
        "One.",
        "Two is longer.",
    ]


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("I live in Rome.", "I live in Rome."),
        ("I live in Rome, can you help?", "I live in Rome, "),
        ("Do I live in Rome?", ""),
        ("do I live in Rome", ""),
        ("I live in Rome?", ""),
        ("我住在北京，有什么好吃的？", "我住在北京，"),
    ],
)
def test_only_what_comes_before_a_question_is_stated(sentence, statement):
    [found] = sentences(sentence)
    assert found.text[: found.stated] == statement


@pytest.mark.parametrize(
    "text",
    [
        "From: Bob\nTo: Ann\nSubject: hello\n\nI live in Rome.\n\nI work at Acme.",
        "Here's my friend's profile: I'm a 32 year old designer. I love climbing.",
        "Write a story in first person: I was born in a lighthouse.",
        "Dear Sir or Madam, I work at Mercy Hospital.",
        "Tom: I live in Rome\nAna Li: we live in Oslo",
    ],
)
def test_letters_profiles_and_dialogues_are_nobodys_own_words(text):
    assert "live in" not in spoken(text).split("\n\n")[0]
    assert "lighthouse" not in spoken(text)
    assert "Mercy" not in spoken(text)
    assert "climbing" not in spoken(text)


def test_the_question_below_a_pasted_mail_is_the_users():
    text = "From: Bob\nTo: Ann\n\nI live in Rome.\n\nI live in Oslo, what do I answer?"
    assert "Rome" not in spoken(text)
    assert "Oslo" in spoken(text)


def test_a_recorded_talk_is_not_the_users_own_speech():
    said = "Sum this up\nAnn Lee  00:02\nI live in Leeds.\nBo Hart  00:24\nI live in York.\n"
    assert "I live" not in spoken(said)
    assert "I live" in spoken("I live in Leeds.\nLunch  12:30\nand more")


LETTER = "I work at Acme as a nurse and write to you about the ward.\n" * 10


def test_a_signed_letter_was_handed_over():
    assert handed_over(LETTER + "Kind regards,\nAnn")
    assert not handed_over(LETTER)
    assert not handed_over("I live in Leeds.\nKind regards,\nAnn")


def test_a_long_text_that_hardly_speaks_of_its_writer_was_handed_over():
    essay = "The river rose and the town moved uphill before the winter came again. " * 20
    assert handed_over(essay)
    assert handed_over("I like my list:\n" + "1. I am a rule of my own and I stand here for us\n" * 30)
    assert not handed_over("I moved here and I like my street, my neighbours and our shop. " * 25)


def test_a_talk_without_names_was_handed_over():
    talk = (
        "How did you get into this line of work?\nI grew up beside a boat yard and never left it.\n"
        "What would you tell your younger self?\nI would have asked for help a good deal earlier.\n"
    )
    assert handed_over(talk * 8)
    assert not handed_over("I grew up beside a boat yard and never left it, not for long.\n" * 24)


def test_an_application_that_asks_for_nothing_was_handed_over():
    words = "I am a baker with a passion for feeding people."
    assert handed_over(words)
    assert handed_over(words + " I help those who are hungry.")
    assert not handed_over(words + " What should I charge?")
    assert not handed_over(words + " Help me with my letter.")


def test_a_time_of_day_introduces_no_text_to_work_on():
    told = "Help me improve my mornings, I get up at 7:30 and I run."
    assert spoken(told) == told
    assert "I run" not in spoken("Please improve this text: I run.")
