"""What a long message asks, whatever was pasted around it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.focusing import LONGEST_QUERY, focus

PROSE = (
    "The harbour was silent that morning. Fishermen mended nets, and gulls circled over the pier "
    "as if waiting. "
) * 12
CHINESE = "港口那天早上很安静，渔民们修补渔网，海鸥在码头上空盘旋。" * 40
LETTER = (
    "On Tue, 5 Mar 2024 at 09:12, Marta <marta@example.org> wrote:\n"
    "> I think we should move my talk.\n> When do I send the list?\n>\n"
    "From: Tom\nSent: 4 March\nSubject: Re: my talk?\n"
) * 8
CHAT = "[10:02] Lena: did anyone of you move my charger?\n[10:03] Ravi: where did I put it?\n" * 12
HELP = (
    "### How do I change my password?\nOpen the settings.\n- what of my old one?\n1. Ask us.\n" * 9
)
TABLE = "2024-01-03,Harbour,118,my usual?,4.20\n| Jan | what did I buy? |\n" * 12
CODE = "def total(self):\n    return sum(mine)\n// why do I need this?\nexport { Basket };\n" * 10
BLOB = "TWFueSBwZW9wbGUgcGFzdGUgd2hvbGUgZmlsZXMgaW50byBhIGNoYXQgd2l0aG91dCB0aGlua2luZw==\n" * 10
SPEECH = (
    "“Why did I never paint? I was impatient,” she says.\n“What would I do with a camera?”\n" * 9
)
PASTES = (PROSE, CHINESE, LETTER, CHAT, HELP, TABLE, CODE, BLOB, SPEECH)
QUESTIONS = (
    "What was the name of my first dog?",
    "Can you suggest a hotel for my trip to Miami? I would like a view.",
    "Wie hieß der Gärtner, den du mir empfohlen hast?",
    "我妈妈的生日是哪天？",
)


@pytest.mark.parametrize("paste", PASTES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "around", ["{question}\n\n{paste}", "{paste}\n\n{question}", "{paste}\n\n{question}\n\n{paste}"]
)
def test_a_question_comes_through_what_is_pasted_around_it(around, question, paste):
    assert focus(around.format(question=question, paste=paste.strip())) == question


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (f"{PROSE}\n\nname of my dentist", "name of my dentist"),
        (f"{PROSE}\nwhat did the dentist say", "what did the dentist say"),
        (f"请问我妈妈的生日是哪天\n\n{CHINESE}", "请问我妈妈的生日是哪天"),
        (f"{'I had a long day. ' * 50}Where is my passport? {PROSE}", "Where is my passport?"),
        (f"Context:\n{PROSE}\n\nQuestion: where do I live?\n\nAnswer:", "where do I live?"),
        (f"Dear all,\n\n{PROSE}\n\nKind regards,\nTom\n\nPS: what was my PIN?", "PS: what was my PIN?"),
    ],
)  # fmt: skip
def test_a_question_needs_no_mark_and_no_place_of_its_own(message, asked):
    assert focus(message) == asked


def test_two_questions_before_and_after_a_paste_are_both_asked():
    message = f"What did I say about Anna?\n\n{PROSE}\n\nAnd when did I meet her?"
    assert focus(message) == "What did I say about Anna? And when did I meet her?"


@pytest.mark.parametrize("paste", [PROSE, CHINESE])
def test_a_paste_without_a_question_is_looked_for_by_its_beginning(paste):
    found = focus(paste)
    assert paste.startswith(found)
    assert LONGEST_QUERY // 2 < len(found) <= LONGEST_QUERY
    assert found.endswith((".", "。"))


@pytest.mark.parametrize("paste", [LETTER, TABLE, CODE, BLOB])
def test_nothing_but_machine_lines_still_gives_something_to_look_for(paste):
    assert 0 < len(focus(paste)) <= LONGEST_QUERY


def test_what_cannot_be_seen_is_not_looked_for():
    hidden = (
        "what\u200b is my \u202edog\u202c called\U000e0041\U000e0042? <!-- my cat, not my dog -->"
    )
    assert focus(hidden) == "what is my dog called?"
    assert focus("<script>my()</script>Where do I live?") == "Where do I live?"
    assert focus("<!-- only this -->") == "<!-- only this -->"


@pytest.mark.parametrize("text", ["می‌خواهم بدانم کجا زندگی می‌کنم؟", "Family 👩‍👩‍👧 day?"])
def test_joiners_that_are_spelling_stay(text):
    assert focus(text) == text


@given(st.text(max_size=3000))
def test_any_message_gives_something_of_it(message):
    found = focus(message)
    assert bool(found) == bool(message.strip())
    assert len(found) <= LONGEST_QUERY


@pytest.mark.parametrize(
    "unit", ["a, ", "why? ", "> ", "<!-", "<script>", "a: ", "On a wrote", "1. \n", "\n\nx", "-- -"]
)
def test_a_megabyte_takes_no_time(unit):
    started = time.process_time()
    focus(unit * (1_000_000 // len(unit)) + "?")
    assert time.process_time() - started < 2
