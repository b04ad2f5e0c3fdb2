from datetime import timedelta

from accounts.models import User
from memory.models import ActivityEvent, ProfileText
from memory.projections import corrections
from memory.projections.corrections import write_own_words
from memory.projections.profile import profile_of, prose_of
from tests.memory.palaces import MONDAY
from tests.memory.projections.conftest import AddFact

NOW = MONDAY + timedelta(days=30)
HOUR = timedelta(hours=1)


def text(user: User) -> str:
    return prose_of(user.id, NOW).text


def changes(user: User) -> list[str]:
    kind = ActivityEvent.Kind.PROFILE_CHANGED
    events = ActivityEvent.objects.filter(user_id=user.id, kind=kind).order_by("id")
    return [details["change"] for details in events.values_list("details", flat=True)]


def test_own_words_replace_the_prose_and_every_version_is_kept_until_erased(as_alice, priya):
    assert write_own_words(as_alice.id, "One.", NOW) is None
    words = "  Я — Priya.\n\nCall me <b>P</b>. 🙂 "
    assert write_own_words(as_alice.id, words, NOW + HOUR).text == "One."
    write_own_words(as_alice.id, words, NOW + HOUR)
    view = profile_of(as_alice.id, NOW)
    assert [each.text for each in view.versions] == [words, "One."]
    assert (view.prose.text, view.prose.written_by, view.own_words.text) == (words, "owner", words)
    assert view.sections

    corrections.restore_version(as_alice.id, view.earlier[0].id, NOW + 2 * HOUR)
    assert text(as_alice) == "One."
    write_own_words(as_alice.id, " ", NOW + 3 * HOUR)
    assert "Zürich" in text(as_alice)
    assert changes(as_alice) == ["own_words", "own_words", "own_words", "own_words_ended"]
    for each in ProfileText.objects.all():
        corrections.erase_words(as_alice.id, each.id, NOW)
    assert not ProfileText.objects.exists()


def test_a_hidden_value_stays_out_of_the_profile_when_it_changes_until_shown(as_alice, priya, add_fact):
    home = priya[1]
    for _ in range(2):
        corrections.set_hidden(as_alice.id, home.id, NOW, hidden=True)
    view = profile_of(as_alice.id, NOW)
    assert "Zürich" not in view.prose.text
    assert [fact.id for fact in view.hidden] == [home.id]
    home.refresh_from_db()
    assert home.status == "active"

    given = {"key": "home_city", "kind": "identity", "single_valued": True}
    later = MONDAY + timedelta(days=2)
    oslo = add_fact("lives_in", "Oslo", "The user lives in Oslo.", valid_from=later, **given)
    assert "Oslo" not in text(as_alice)
    for _ in range(2):
        corrections.set_hidden(as_alice.id, oslo.id, NOW, hidden=False)
    assert "Oslo" in text(as_alice)
    assert changes(as_alice) == ["hidden", "shown"]


def test_hiding_one_of_several_values_keeps_the_others(as_alice: User, add_fact: AddFact):
    first = add_fact("likes", "jazz", "The user likes jazz.", key="music")
    add_fact("likes", "opera", "The user likes opera.", key="music")
    corrections.set_hidden(as_alice.id, first.id, NOW, hidden=True)
    assert text(as_alice) == "The user likes opera."
