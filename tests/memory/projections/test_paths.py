import pytest
from uuid_utils.compat import uuid7

from memory.models import Drawer
from memory.projections.proposing import Path, paths
from tests.memory.projections.toolchats import SAID


def drawers(*said: tuple[str, str], **given: object) -> list[Drawer]:
    return [Drawer(id=uuid7(), role=role, content=words, **given) for role, words in said]


def found(*said: tuple[str, str]) -> list[Path]:
    return list(paths(drawers(*said)))


def test_a_path_tells_the_goal_what_failed_and_what_worked():
    said = drawers(*SAID)
    (path,) = paths(said)
    assert path.goal == "Please deploy the bakery site to the new server."
    assert path.failed == 'shell {"command": "make deploy"}: Error: target host not found'
    assert path.worked == (
        'shell {"command": "make deploy HOST=oven-2"}\n'
        "It is deployed: the host has to be named with HOST=oven-2."
    )
    assert path.drawer_ids == tuple(drawer.id for drawer in said)


def test_small_talk_before_the_request_is_no_part_of_it():
    (path,) = found(("user", "Good morning."), ("assistant", "Morning!"), *SAID)
    assert path.goal.startswith("Please deploy")
    assert len(path.drawer_ids) == len(SAID)


@pytest.mark.parametrize(
    "last",
    [
        "That didn't work.",
        "It works not at all.",
        "Does it work now?",
        "If it works I shall be glad.",
        "Thanks.",
        "还没成功了吗？",
        "Не работает.",
        "Das hat nicht funktioniert.",
        "It still is not working",
    ],
)
def test_without_a_word_that_it_works_there_is_no_path(last: str):
    assert found(*SAID[:-1], ("user", last)) == []


@pytest.mark.parametrize(
    "last",
    [
        "That worked.",
        "Perfect. It works now, thank you!",
        "Das hat funktioniert, danke.",
        "Ahora funciona.",
        "Merci, ça marche.",
        "太好了，成功了！",
        "Супер, заработало.",
    ],
)
def test_that_it_works_is_understood_in_six_languages(last: str):
    assert len(found(*SAID[:-1], ("user", last))) == 1


def test_no_tool_no_path():
    said = (("user", "How do I bake?"), ("assistant", "With heat."), ("user", "That worked!"))
    assert found(*said) == []


def test_a_last_use_that_failed_is_no_success():
    said = (SAID[0], SAID[1], SAID[2], ("user", "It works."))
    assert found(*said) == []


def test_each_request_of_a_chat_is_a_path_of_its_own():
    again = (("user", "Now renew the certificate."), *SAID[3:])
    goals = [path.goal for path in found(*SAID, *again)]
    assert goals == [
        "Please deploy the bakery site to the new server.",
        "Now renew the certificate.",
    ]


def test_secrets_are_masked_and_long_words_cut():
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    call = ("assistant", f'shell {{"command": "deploy --key {key} {"x" * 900}"}}')
    (path,) = found(SAID[0], call, *SAID[4:])
    assert key not in path.worked
    assert max(map(len, path.worked.splitlines())) <= 600


def test_what_is_sensitive_or_hidden_is_not_drawn_from():
    assert list(paths(drawers(*SAID, sensitive=True))) == []
    assert found(*SAID[:2], ("tool", "fine\u202e"), *SAID[4:]) == []


def test_a_result_without_a_readable_call_still_counts():
    (path,) = found(SAID[0], ("assistant", "Let me see."), ("tool", "all good"), *SAID[5:])
    assert path.worked == SAID[5][1]
