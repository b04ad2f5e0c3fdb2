from datetime import UTC, datetime
from uuid import uuid4

from memory.aaak import Pointer
from memory.recall.echoes import ECHO, is_bare_question, without_echoes
from memory.recall.types import Hit, RecallRequest

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def hit(text: str, role: str = "user", scores: dict[str, float] | None = None) -> Hit:
    return Hit(
        drawer_id=uuid4(),
        pointer=Pointer(1, 1, 1),
        wing="Tea",
        wing_kind="topic",
        room="A chat",
        closet="Tea",
        room_id=uuid4(),
        role=role,
        said_at=NOW,
        text=text,
        reason="",
        score=1.0,
        scores=scores or {},
    )


def request(message: str) -> RecallRequest:
    return RecallRequest(uuid4(), message, NOW)


def test_the_same_question_asked_before_is_left_out_and_said_so():
    echo, answer = hit("what is my favourite TEA"), hit("My favourite tea is genmaicha.")
    kept, cut = without_echoes(request("What is my favourite tea?"), [echo, answer])
    assert kept == (answer,)
    assert [(each.drawer_id, each.why) for each in cut] == [(echo.drawer_id, ECHO)]


def test_what_the_assistant_said_is_never_an_echo():
    quoted = hit("What is my favourite tea?", role="assistant")
    assert without_echoes(request("What is my favourite tea?"), [quoted]) == ((quoted,), ())


def test_bare_questions_come_after_statements_and_keep_their_order():
    one, two = hit("Where can I buy tea?"), hit("Is green tea good?")
    told = hit("I drink genmaicha every evening.")
    assert without_echoes(request("tea"), [one, two, told])[0] == (told, one, two)


def test_only_one_short_question_of_the_person_is_bare():
    assert is_bare_question(hit("你最喜欢什么茶？"))
    assert not is_bare_question(hit("I moved to Porto. Which tea shop is good there?"))
    assert not is_bare_question(hit("Which tea?", role="assistant"))
    assert not is_bare_question(hit("Which tea?", scores={"pointer": 1.0}))
    assert not is_bare_question(hit("word " * 60 + "?"))
