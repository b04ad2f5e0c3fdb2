"""A chat that rules have read, and what a model would make of it."""

from chat.mining.reextraction import read_person_again
from llm import current
from llm.errors import ModelUnavailable
from memory.facts import current_facts
from memory.mining.reextraction import ask_for_second_readings
from memory.models import MinedWindow
from tests.drills.ledger import LONG, NOW, Clock
from tests.drills.rows import rows_of
from tests.memory.mining.answers import answer, edge, placed, stated

AWAY = ModelUnavailable("Away.")
SAID = ("I live in Zürich. I love chess.", "Good.")
HOME = stated()
CHESS = stated(
    kind="preference",
    key="preference_chess",
    value="chess",
    statement="The user loves playing chess.",
    predicate="loves",
    object="chess",
    quote="I love chess",
    single_valued=False,
)
UNDERSTOOD = answer(turns=[placed(), placed("t2")], facts=[HOME, CHESS], relations=[edge()])


def read_again(user, model, clock=None):
    with current.using(chat=model):
        return read_person_again(user.id, clock or Clock(), LONG)


def statements(user):
    return sorted(current_facts(user.id).values_list("statement", flat=True))


def asked(user):
    return ask_for_second_readings(user.id, NOW)


def window():
    return MinedWindow.objects.get()


def drawer_rows(user):
    rows = rows_of(user.id)
    return {name: rows[name] for name in ("drawers", "words", "vectors", "closets", "rooms")}
