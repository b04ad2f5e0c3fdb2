"""Plain statements, read by the real network."""

from types import SimpleNamespace

import pytest

from memory.mining.screening import screen
from memory.text.owner_sentences import for_owner
from tests.memory.mining.chats import chat, extract, turn

PLAIN = """
I live in New york. / You live in New york.
I'm on metformin. / You take metformin.
I love tea. / You like tea.
I want to run a marathon. / You said: “I want to run a marathon”
My budget is 500 euros. / You said: “My budget is 500 euros”
My budget for the bike is 400 euros. / Your budget for the bike is 400 euros.
I have a garden shed. / You have a garden shed.
I visited Rome in June, 2018. / You have visited Rome (about June 2018).
I can't eat gluten. / You avoid gluten.
Please don't use bullet points in your replies.
  / You asked the assistant: “Please don't use bullet points in your replies”
Ich bin allergisch gegen Nüsse. / You are allergic to “Nüsse”.
Mein Budget ist 500 Euro. / You said: “Mein Budget ist 500 Euro”
Ma femme s'appelle Claire. / Claire is your wife.
Trabajo en Indra. / You work at Indra.
Я живу в Казани. / You live in Казань.
我对花生过敏。 / You are allergic to “花生”.
"""


@pytest.mark.parametrize("case", PLAIN.strip().replace("\n  /", " /").splitlines())
def test_plain_statements_are_filed(case):
    said, expected = case.split(" / ")
    [fact, *_] = [fact for fact in extract(chat(turn(said))).facts if not screen(fact).reason]
    shown = SimpleNamespace(
        predicate=fact.predicate,
        value=fact.value,
        object=fact.object,
        statement=fact.statement,
        mined_by="reader",
        authority="user",
    )
    assert for_owner(shown, lambda: fact.quote, over=fact.ended) == expected


@pytest.mark.parametrize("said", ["I'm not vegan any more.", "I no longer have a dog.", "我不在华为工作了。"])
def test_an_ending_is_never_dropped(said):
    assert any(fact.ended for fact in extract(chat(turn(said))).facts)
