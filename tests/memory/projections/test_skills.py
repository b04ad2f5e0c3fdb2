"""Skills from paths that succeeded and from procedures in chats with tools: decisions, versions, deletion."""

from datetime import timedelta

import pytest
from uuid_utils.compat import uuid7

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.forgetting.trash import delete, purge, undo
from memory.models import ActivityEvent, Drawer, Fact, Skill, SkillText
from memory.projections import skills as domain
from memory.projections.profile import REFRESH_INTERVAL
from memory.projections.skills import Wording, procedures, propose_skills, published_skills, skills_by_status
from memory.projections.upkeep import refresh_due, upkeep_due
from tests.memory.palaces import MONDAY, file_tool_chat
from tests.memory.palaces import TOOL_CHAT as SAID

NOW = MONDAY + timedelta(days=30)
GOAL = SAID[0][1]


@pytest.fixture
def chat_drawers(as_alice):
    return file_tool_chat(as_alice.id)


@pytest.fixture
def skill(as_alice, chat_drawers):
    propose_skills(as_alice.id, None, NOW)
    return Skill.objects.get()


def goals(user, status="proposed"):
    return [view.text.goal for view in skills_by_status(user.id, status).items]


def test_a_skill_is_proposed_once_with_its_drawers_and_only_to_its_owner(as_alice, bob, chat_drawers):
    assert propose_skills(as_alice.id, NOW + timedelta(days=365 * 20), NOW) == 0, "no chat continued since"
    assert propose_skills(as_alice.id, MONDAY, NOW) == 1
    assert propose_skills(as_alice.id, None, NOW) == 0
    (view,) = skills_by_status(as_alice.id, "proposed").items
    assert (view.text.goal, view.text.applies) == (GOAL, "Bakery")
    assert view.drawer_ids == tuple(drawer.id for drawer in chat_drawers)
    event = ActivityEvent.objects.get(kind="skills_proposed")
    assert event.details == {"skills": [str(view.skill.id)]}
    assert published_skills(as_alice.id) == ()
    with tenant(bob.id):
        assert skills_by_status(bob.id, "proposed").items == ()
        for status in Skill.Status:
            with pytest.raises(NotFound):
                domain.decide(bob.id, view.skill.id, status, NOW)


def test_a_successful_path_fact_becomes_a_skill_once_due_and_is_erased_with_it(as_alice, add_fact):
    assert not upkeep_due(as_alice.id, NOW)
    fact = add_fact("deploys", "deploying", "The user deploys with make and HOST.", kind="successful_path")
    add_fact("x", "unsure", "Unsure path.", kind="successful_path", review_reason="Unsure.")
    assert upkeep_due(as_alice.id, NOW)
    assert refresh_due(as_alice.id, NOW)
    assert not upkeep_due(as_alice.id, NOW)
    assert not refresh_due(as_alice.id, NOW)
    (view,) = skills_by_status(as_alice.id, "proposed").items
    assert (view.text.goal, view.text.worked) == ("deploying", fact.statement)
    assert view.drawer_ids == tuple(fact.sources.values_list("drawer_id", flat=True))

    Fact.objects.filter(id=fact.id).update(status="rejected")
    assert goals(as_alice) == []
    assert not upkeep_due(as_alice.id, NOW), "the interval has not passed"
    assert upkeep_due(as_alice.id, NOW + REFRESH_INTERVAL)
    delete(as_alice.id, "drawer", fact.sources.get().drawer_id, NOW)
    purge(as_alice.id, NOW + timedelta(days=1))
    assert not Skill.objects.exists()


def test_a_skill_can_be_published_withdrawn_and_rejected(as_alice, chat_drawers, skill):
    for status in ("published", "published", "proposed"):
        domain.decide(as_alice.id, skill.id, status, NOW)
        published = [view.skill.id for view in published_skills(as_alice.id)]
        assert published == ([skill.id] if status == "published" else [])
    domain.decide(as_alice.id, skill.id, "rejected", NOW)
    assert goals(as_alice, "rejected") == [GOAL]
    assert propose_skills(as_alice.id, None, NOW) == 0
    assert domain.count_skills(as_alice.id) == {"rejected": 1}
    decisions = ActivityEvent.objects.filter(kind="skill_decided").order_by("id")
    assert [event.details["decision"] for event in decisions] == ["published", "proposed", "rejected"]
    domain.decide(as_alice.id, skill.id, "published", NOW)
    Drawer.objects.filter(user_id=as_alice.id, id=chat_drawers[2].id).update(sensitive=True)
    assert published_skills(as_alice.id) == (), "a model never sees it"
    assert goals(as_alice, "published") == [GOAL]


def test_every_version_of_a_skill_is_kept(as_alice, skill):
    for _ in range(2):
        domain.reword(as_alice.id, skill.id, Wording("Deploy", "Name the host.", "", "Bakery"), NOW)
    view = domain.skill_of(as_alice.id, skill.id)
    assert (view.text.goal, view.text.by_owner) == ("Deploy", True)
    assert [text.number for text in view.versions] == [2, 1]
    domain.use_version(as_alice.id, skill.id, 1, NOW)
    assert domain.skill_of(as_alice.id, skill.id).text.goal == GOAL
    domain.reword(as_alice.id, skill.id, Wording("Deploy 2", "x"), NOW)
    assert [text.number for text in domain.skill_of(as_alice.id, skill.id).versions] == [3, 2, 1]
    with pytest.raises(NotFound):
        domain.use_version(as_alice.id, skill.id, 9, NOW)


def test_a_skill_is_deleted_and_restored_with_any_of_its_drawers(as_alice, chat_drawers, skill):
    domain.decide(as_alice.id, skill.id, "published", NOW)
    for drawer in chat_drawers:
        deletion = delete(as_alice.id, "drawer", drawer.id, NOW)
        assert published_skills(as_alice.id) == ()
        with pytest.raises(NotFound):
            domain.skill_of(as_alice.id, skill.id)
        undo(as_alice.id, deletion.id, NOW)
        assert len(published_skills(as_alice.id)) == 1
    delete(as_alice.id, "drawer", chat_drawers[2].id, NOW)
    purge(as_alice.id, NOW + timedelta(days=1))
    assert not Skill.objects.exists()
    assert not SkillText.objects.exists()


def drawers(*messages, **given):
    return [Drawer(id=uuid7(), role=role, content=words, **given) for role, words in messages]


def paths_in(*messages):
    return list(procedures(drawers(*messages)))


def test_a_procedure_has_its_goal_what_failed_and_what_worked():
    chat_drawers = drawers(("user", "Good morning."), ("assistant", "Morning!"), *SAID)
    (path,) = procedures(chat_drawers)
    assert path.goal == GOAL
    assert path.failed == 'shell {"command": "make deploy"}: Error: target host not found'
    assert path.worked == f'shell {{"command": "make deploy HOST=oven-2"}}\n{SAID[5][1]}'
    assert path.drawer_ids == tuple(drawer.id for drawer in chat_drawers[2:]), "small talk is not part of it"
    (path,) = paths_in(SAID[0], ("assistant", "Let me see."), ("tool", "all good"), *SAID[5:])
    assert path.worked == SAID[5][1], "a result without a readable call counts"
    again = (("user", "Now renew the certificate."), *SAID[3:])
    assert [path.goal for path in paths_in(*SAID, *again)] == [GOAL, "Now renew the certificate."]


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
def test_a_procedure_ends_with_confirmed_success_in_six_languages(messages, expected):
    for last in messages.split(" | "):
        assert len(paths_in(*SAID[:-1], ("user", last))) == expected, last


def test_procedures_need_a_successful_call_mask_secrets_and_skip_sensitive_and_hidden_text():
    assert paths_in(("user", "How do I bake?"), ("assistant", "With heat."), ("user", "That worked!")) == []
    assert paths_in(*SAID[:3], ("user", "It works.")) == []
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    call = ("assistant", f'shell {{"command": "deploy --key {key} {"x" * 900}"}}')
    (path,) = paths_in(SAID[0], call, *SAID[4:])
    assert key not in path.worked
    assert max(map(len, path.worked.splitlines())) <= 600
    assert list(procedures(drawers(*SAID, sensitive=True))) == []
    assert paths_in(*SAID[:2], ("tool", "fine\u202e"), *SAID[4:]) == []
