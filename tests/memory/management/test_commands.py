"""The commands `recall`, `facts` and `graph`: the shapes that scripts rely on, and their errors."""

import io
import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from memory.graph.resolution import entity_for
from memory.mining.pipeline import WindowJob, mine_window
from memory.mining.transcripts import Transcript, Turn
from memory.models import Fact, MemoryPreferences
from memory.preferences import preferences_of

HIT = {
    "drawer_id", "pointer", "wing", "room", "closet", "date", "role", "text", "score", "scores",
    "reason", "shares", "retrievers", "wing_kind", "excerpt", "tokens", "unfiled_in",
}  # fmt: skip
FACT = {
    "kind", "type", "key", "value", "statement", "predicate", "object", "status", "confidence",
    "authority", "valid_from", "valid_to", "pointer", "quote",
}  # fmt: skip
RELATION = {"entity", "relation", "direction", "valid_from", "valid_to", "pointer"}
UNKNOWN = r"^There is no account with the address zoe@x.org.$"


def said(user, day, *words):
    """Mine a chat that began at noon of a day."""
    began = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    turns = tuple(
        Turn(uuid4(), number, "assistant" if number % 2 == 0 else "user", text, began)
        for number, text in enumerate(words, start=1)
    )
    transcript = Transcript(user.id, "conversation", uuid4(), "A chat", began, turns)
    mine_window(WindowJob(transcript, preferences_of(user.id)), began)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def palace(alice):
    with tenant(alice.id):
        said(alice, "2030-01-10", "I live in Porto.", "A fine town.")
        said(alice, "2030-06-10", "I moved to Lisbon. I live in Lisbon now.", "Good.")
        said(alice, "2030-07-10", "My boat is called Petrel. 我最喜欢的茶是茉莉花茶。", "Noted.")
    return alice


def run(name, *arguments, user="alice@example.org"):
    out = io.StringIO()
    call_command(name, *arguments, "--user", user, stdout=out)
    return out.getvalue()


def as_json(name, *arguments):
    return json.loads(run(name, *arguments, "--json"))


def homes(*options):
    return [
        (fact["object"], fact["status"])
        for fact in as_json("facts", *options)
        if fact["predicate"] == "lives_in" or "lives in" in fact["statement"]
    ]


def test_recall_gives_the_block_the_hits_and_the_trace(palace):
    answer = as_json("recall", "What is my boat called?")
    assert set(answer) == {"block", "hits", "trace"}
    hit = answer["hits"][0]
    assert set(hit) == HIT
    assert hit["text"] == "My boat is called Petrel. 我最喜欢的茶是茉莉花茶。"
    assert hit["pointer"].startswith("§ W-")
    assert hit["date"] == "2030-07-10T12:00:00+00:00"
    assert (hit["role"], hit["room"]) == ("user", "A chat")
    assert hit["pointer"] in answer["block"]
    assert set(hit["scores"]) >= {"similarity"}
    assert answer["trace"]["decision"]["search"] is True

    assert len(as_json("recall", "Where do I live and what is my boat?", "--top-k", "1")["hits"]) == 1
    with pytest.raises(CommandError, match="from 1 to 20"):
        run("recall", "boat", "--top-k", "21")
    answer = as_json("recall", "hello")
    assert (answer["block"], answer["hits"]) == ("", [])
    assert run("recall", "hello").strip() == answer["trace"]["decision"]["reason"]


def test_the_terminal_is_shown_clean_text_without_secrets(alice):
    with tenant(alice.id):
        said(alice, "2030-08-10", "My yacht \x1b[31mis \u202ered, its password is hunter2.")
    told = [run("recall", "yacht?"), run("recall", "yacht?", "--json"), run("facts"), run("facts", "--json")]
    assert r"\u001b[31mis \u202ered, its password is [password hidden]" in told[0]
    assert not any(hiding in text for text in told for hiding in ("\x1b", "\u202e", "hunter2"))


def test_recall_follows_the_persons_settings(palace):
    question = "What is my boat called?"
    assert as_json("recall", question)["hits"]
    with tenant(palace.id):
        MemoryPreferences.objects.update_or_create(user=palace, defaults={"enabled": False})
    assert as_json("recall", question)["hits"] == []


def test_recall_reads_days_against_the_given_moment(palace):
    for at in ("2030-07-11", "2030-07-11T09:00", "2030-07-11T09:00+02:00"):
        trace = as_json("recall", "What did I say about my boat yesterday?", "--at", at)["trace"]
        assert "2030-07-10" in json.dumps(trace["query"]["span"])


def test_facts_name_their_source_and_keep_what_has_ended(palace):
    facts = as_json("facts")
    assert all(set(fact) == FACT for fact in facts)
    assert ("Lisbon", "active") in homes()
    assert ("Porto", "superseded") in homes()
    lisbon = next(fact for fact in facts if fact["object"] == "Lisbon" and "lives" in fact["statement"])
    assert lisbon["quote"] in "I moved to Lisbon. I live in Lisbon now."
    assert lisbon["pointer"].startswith("§ W-")
    assert lisbon["authority"] == "user"
    assert 0 < lisbon["confidence"] <= 1
    assert lisbon["valid_to"] is None


def test_facts_are_listed_as_of_a_moment_in_the_persons_time_zone(palace):
    assert homes("--at", "2030-02-01") == homes("--at", "2030-01-10") == [("Porto", "superseded")]
    assert homes("--at", "2030-08-01T00:00:00Z") == [("Lisbon", "active")]
    assert homes("--at", "2029-01-01") == []
    with tenant(palace.id):
        MemoryPreferences.objects.create(user_id=palace.id, time_zone="Pacific/Kiritimati")
    assert homes("--at", "2030-01-10") == [], "a day alone means its end"
    assert homes("--at", "2030-01-11T02:30") == [("Porto", "superseded")]
    with tenant(palace.id):
        Fact.objects.update(deleted_at=datetime(2031, 1, 1, tzinfo=UTC))
    assert as_json("facts") == []
    assert run("facts") == "There are no facts yet.\n"


def test_the_graph_shows_both_ends_and_when(palace):
    answer = as_json("graph", "user")
    assert (answer["entity"], answer["type"]) == ("user", "user")
    assert all(set(relation) == RELATION for relation in answer["relations"])
    homes = [r for r in answer["relations"] if r["relation"] == "lives_in"]
    assert [(home["entity"], home["direction"]) for home in homes] == [
        ("Lisbon", "out"), ("Porto", "out"),
    ]  # fmt: skip
    assert homes[1]["valid_to"] == homes[0]["valid_from"]
    other = as_json("graph", "LISBON")
    assert [(r["entity"], r["direction"]) for r in other["relations"]] == [("user", "in")]
    then = as_json("graph", "user", "--at", "2030-02-01")
    assert [r["entity"] for r in then["relations"]] == ["Porto"]


def test_without_json_the_output_is_for_people(palace):
    assert "My boat is called Petrel." in run("recall", "What is my boat called?")
    assert "The user lives in Lisbon." in run("facts")
    assert "→ lives_in Lisbon" in run("graph", "user")
    with tenant(palace.id):
        entity_for(palace.id, "Lisbon", "person")
    said = run("graph", "lisbon")
    assert said.startswith("Lisbon (place)")
    assert "Several entities share this name: Lisbon (place), Lisbon (person)." in said


def test_errors_are_one_sentence_and_nothing_of_another_person_is_shown(palace, bob):
    for name in ("recall", "facts", "graph"):
        words = [] if name == "facts" else ["Petrel"]
        with pytest.raises(CommandError, match=UNKNOWN):
            run(name, *words, user="zoe@x.org")
        with pytest.raises(CommandError, match=r"^soon is no date; write it as "):
            run(name, *words, "--at", "soon")
    with pytest.raises(CommandError, match=r"^There is no entity called Atlantis\.$"):
        run("graph", "Atlantis")
    options = {"user": bob.email}
    assert json.loads(run("facts", "--json", **options)) == []
    assert json.loads(run("recall", "What is my boat called?", "--json", **options))["hits"] == []
    with pytest.raises(CommandError, match="There is no entity"):
        run("graph", "Lisbon", **options)
