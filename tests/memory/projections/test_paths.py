import pytest
from uuid_utils.compat import uuid7

from memory.models import Drawer
from memory.projections.proposing import Path, paths
from tests.memory.projections.toolchats import SAID


def drawers(*said: tuple[str, str], **given: object) -> list[Drawer]:
    return [Drawer(id=uuid7(), role=role, content=words, **given) for role, words in said]


def found(*said: tuple[str, str]) -> list[Path]:
    return list(paths(drawers(*said)))


def test_a_path_names_the_goal_what_failed_and_what_worked():
    said = drawers(("user", "Good morning."), ("assistant", "Morning!"), *SAID)
    (path,) = paths(said)
    assert path.goal == "Please deploy the bakery site to the new server."
    assert path.failed == 'shell {"command": "make deploy"}: Error: target host not found'
    assert path.worked == (
        'shell {"command": "make deploy HOST=oven-2"}\n'
        "It is deployed: the host has to be named with HOST=oven-2."
    )
    assert path.drawer_ids == tuple(drawer.id for drawer in said[2:]), "small talk is no part of it"
    (path,) = found(SAID[0], ("assistant", "Let me see."), ("tool", "all good"), *SAID[5:])
    assert path.worked == SAID[5][1], "a result without a readable call counts"


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("That worked. | Perfect. It works now, thank you! | Das hat funktioniert, danke.", 1),
        ("Ahora funciona. | Merci, ça marche. | 太好了，成功了！ | Супер, заработало.", 1),
        ("That didn't work. | It works not at all. | Does it work now? | It still is not working", 0),
        ("If it works I shall be glad. | Thanks. | 还没成功了吗？ | Не работает.", 0),
        ("Das hat nicht funktioniert.", 0),
    ],
)
def test_a_path_ends_with_words_of_success_in_six_languages(messages: str, expected: int):
    for last in messages.split(" | "):
        assert len(found(*SAID[:-1], ("user", last))) == expected, last


def test_without_a_tool_that_worked_there_is_no_path():
    assert found(("user", "How do I bake?"), ("assistant", "With heat."), ("user", "That worked!")) == []
    assert found(SAID[0], SAID[1], SAID[2], ("user", "It works.")) == []


def test_each_request_of_a_chat_is_a_path_of_its_own():
    again = (("user", "Now renew the certificate."), *SAID[3:])
    goals = [path.goal for path in found(*SAID, *again)]
    assert goals == ["Please deploy the bakery site to the new server.", "Now renew the certificate."]


def test_secrets_are_masked_long_words_cut_and_sensitive_or_hidden_words_left_out():
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    call = ("assistant", f'shell {{"command": "deploy --key {key} {"x" * 900}"}}')
    (path,) = found(SAID[0], call, *SAID[4:])
    assert key not in path.worked
    assert max(map(len, path.worked.splitlines())) <= 600
    assert list(paths(drawers(*SAID, sensitive=True))) == []
    assert found(*SAID[:2], ("tool", "fine\u202e"), *SAID[4:]) == []
