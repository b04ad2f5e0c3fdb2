"""A later sentence or message corrects the day of an event, if it is clear which event it means."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory.mining.reader import facts
from tests.memory.mining.chats import turn
from tests.memory.mining.reader.scripted import Scripted

SAID_AT = datetime(2026, 1, 12, 12, tzinfo=UTC)
EXAM = "I have an exam on 13 February at 10am."


def _exams(*texts, value="exam"):
    turns = [replace(turn(text, sequence=number), said_at=SAID_AT) for number, text in enumerate(texts)]
    found = facts.read(turns, Scripted((value, "has_event"), ("wedding", "has_event")))
    told = (fact for fact in found if value.lower() in fact.key)
    return [f"{fact.event_time:%m-%d %H:%M}" + " unsure" * fact.unsure for fact in told]


@pytest.mark.parametrize(
    ("value", "event", "correction"),
    [
        ("exam", EXAM, "Sorry, I meant the 16th."),
        ("exam", EXAM, "no sorry just checked, its not the 13th, its monday the 16th feb same time."),
        ("exam", EXAM, "Actually it's on Monday instead."),
        ("Prüfung", "Meine Prüfung ist am 13. Februar um 10 Uhr.", "Entschuldigung, ich meinte den 16."),
        ("examen", "Mi examen es el 13 de febrero a las 10:00.", "Perdón, no el 13, el 16."),
        ("examen", "L'examen est le 13 février à 10:00.", "Pardon, je voulais dire le 16."),
        ("экзамен", "Мой экзамен 13 февраля в 10:00.", "Извини, не 13-го, а 16-го."),
        ("考试", "我 考试 2月13日 10:00。", "抱歉，不是13号，是16号。"),
    ],
)
def test_a_day_is_corrected_in_the_same_and_the_next_message(value, event, correction):
    assert _exams(f"{event} {correction}", value=value) == ["02-16 10:00"]
    assert _exams(event, correction, value=value) == ["02-16 10:00"]


def test_no_corrects_only_within_a_message():
    assert _exams(f"{EXAM} No, the 16th.") == ["02-16 10:00"]
    assert _exams(EXAM, "No, the 16th.") == ["02-13 10:00"]


@pytest.mark.parametrize(
    "other",
    [
        "Sorry, I can't come on the 16th.",
        "It's not on the 12th but the 16th.",
        "Is the flight on the 16th?",
        "Actually, the 31st.",
        "Translate this:\nSorry, I meant the 16th.",
    ],
)
def test_other_days_correct_nothing(other):
    assert _exams(EXAM, other) == ["02-13 10:00"]


def test_one_of_several_days_is_corrected_only_if_it_is_denied():
    both = "I have an exam on 13 February. The wedding is on 20 February."
    assert _exams(both, "Sorry, I meant the 16th.") == ["02-13 00:00"]
    assert _exams(both, "Sorry, not the 13th, the 16th.") == ["02-16 00:00"]


def test_the_earlier_of_two_days_waits_if_the_event_is_told_again():
    assert _exams(EXAM, "Actually my exam is on 16 February.") == ["02-13 10:00 unsure", "02-16 00:00"]
