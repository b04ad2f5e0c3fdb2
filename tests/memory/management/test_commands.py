"""Memory commands: the JSON that scripts rely on, what they change, their progress and their errors."""

import json
from contextlib import nullcontext
from datetime import UTC, datetime
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from chat.models import Message
from llm.errors import EmbedderUnavailable
from memory.graph.resolution import entity_for
from memory.models import ConsolidationRun, Drawer, DrawerVector, Fact, MemoryPreferences
from palace.management.commands import scrub
from tests.commands import Terminal, run_command
from tests.drills.ledger import remember
from tests.memory.consolidation.facts import add
from tests.memory.palaces import file

HIT = {
    "drawer_id", "pointer", "wing", "room", "closet", "date", "role", "text", "score", "scores",
    "reason", "shares", "retrievers", "wing_kind", "excerpt", "tokens", "unfiled_in",
}  # fmt: skip
FACT = {
    "kind", "type", "key", "value", "statement", "predicate", "object", "status", "confidence",
    "authority", "valid_from", "valid_to", "pointer", "quote",
}  # fmt: skip
RELATION = {"entity", "relation", "direction", "valid_from", "valid_to", "pointer"}
USER = "--user alice@example.org"
JULY = datetime(2030, 7, 10, 12, tzinfo=UTC)
BOAT = "My boat is called Petrel. 我最喜欢的茶是茉莉花茶。"
pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def palace(alice):
    with tenant(alice.id):
        remember(alice.id, "I live in Porto.", "A fine town.", at=JULY.replace(month=1))
        remember(alice.id, "I moved to Lisbon. I live in Lisbon now.", "Good.", at=JULY.replace(month=6))
        remember(alice.id, BOAT, "Noted.", at=JULY)
    return alice


def run(name, *arguments, user="alice@example.org"):
    return run_command(name, *arguments, "--user", user)


def as_json(name, *arguments, **options):
    return json.loads(run(name, *arguments, "--json", **options))


def homes(*options):
    return [
        (fact["object"], fact["status"])
        for fact in as_json("facts", *options)
        if fact["predicate"] == "lives_in" or "lives in" in fact["statement"]
    ]


def test_recall_prints_the_block_the_hits_and_the_trace_and_takes_a_limit_and_a_moment(palace):
    answer = as_json("recall", "What is my boat called?")
    assert set(answer) == {"block", "hits", "trace"}
    hit = answer["hits"][0]
    assert set(hit) == HIT
    assert (hit["text"], hit["date"]) == (BOAT, "2030-07-10T12:00:00+00:00")
    assert hit["pointer"].startswith("§ W-")
    assert (hit["role"], hit["room"]) == ("user", "A chat")
    assert hit["pointer"] in answer["block"]
    assert set(hit["scores"]) >= {"similarity"}
    assert answer["trace"]["decision"]["search"] is True
    assert "My boat is called Petrel." in run("recall", "What is my boat called?")
    assert len(as_json("recall", "Where do I live and what is my boat?", "--top-k", "1")["hits"]) == 1
    with pytest.raises(CommandError, match="from 1 to 20"):
        run("recall", "boat", "--top-k", "21")
    answer = as_json("recall", "hello")
    assert (answer["block"], answer["hits"]) == ("", [])
    assert run("recall", "hello").strip() == answer["trace"]["decision"]["reason"]
    for at in ("2030-07-11", "2030-07-11T09:00", "2030-07-11T09:00+02:00"):
        trace = as_json("recall", "What did I say about my boat yesterday?", "--at", at)["trace"]
        assert "2030-07-10" in json.dumps(trace["query"]["span"])
    for command in ("recall boat --at 0001-01-01", "facts --at 9999-12-31", "forget dates 9999-12-31"):
        with pytest.raises(CommandError, match="between the years 1900 and 2199"):
            run(*command.split())


def test_output_escapes_control_characters_and_masks_secrets(alice):
    with tenant(alice.id):
        remember(alice.id, "My yacht \x1b[31mis \u202ered, its password is hunter2.")
    outputs = [run(*command) for command in (("recall", "yacht?"), ("recall", "yacht?", "--json"))]
    outputs += [run("facts"), run("facts", "--json")]
    assert r"\u001b[31mis \u202ered, its password is [password hidden]" in outputs[0]
    for hiding in ("\x1b", "\u202e", "hunter2"):
        assert [text for text in outputs if hiding in text] == []


def test_facts_are_listed_with_their_sources_as_of_a_moment_in_the_users_time_zone(palace):
    facts = as_json("facts")
    assert [fact for fact in facts if set(fact) != FACT] == []
    assert {("Lisbon", "active"), ("Porto", "superseded")} <= set(homes())
    lisbon = next(fact for fact in facts if fact["object"] == "Lisbon" and "lives" in fact["statement"])
    assert lisbon["quote"] in "I moved to Lisbon. I live in Lisbon now."
    assert lisbon["pointer"].startswith("§ W-")
    assert (lisbon["authority"], lisbon["valid_to"]) == ("user", None)
    assert 0 < lisbon["confidence"] <= 1
    assert "The user lives in Lisbon." in run("facts")

    porto = [("Porto", "superseded")]
    assert homes("--at", "2030-02-01") == homes("--at", "2030-01-10") == porto
    assert homes("--at", "2030-08-01T00:00:00Z") == [("Lisbon", "active")]
    assert homes("--at", "2029-01-01") == []
    with tenant(palace.id):
        MemoryPreferences.objects.create(user_id=palace.id, time_zone="Pacific/Kiritimati")
    assert homes("--at", "2030-01-10") == [], "a day alone means its end"
    assert homes("--at", "2030-01-11T02:30") == porto
    with tenant(palace.id):
        Fact.objects.update(deleted_at=datetime(2031, 1, 1, tzinfo=UTC))
    assert as_json("facts") == []
    assert run("facts") == "There are no facts yet.\n"


def test_graph_lists_relations_in_both_directions_with_validity(palace):
    answer = as_json("graph", "user")
    assert (answer["entity"], answer["type"]) == ("user", "user")
    assert [relation for relation in answer["relations"] if set(relation) != RELATION] == []
    found = [r for r in answer["relations"] if r["relation"] == "lives_in"]
    assert [(home["entity"], home["direction"]) for home in found] == [("Lisbon", "out"), ("Porto", "out")]
    assert found[1]["valid_to"] == found[0]["valid_from"]
    other = as_json("graph", "LISBON")
    assert [(r["entity"], r["direction"]) for r in other["relations"]] == [("user", "in")]
    then = as_json("graph", "user", "--at", "2030-02-01")
    assert [r["entity"] for r in then["relations"]] == ["Porto"]
    assert "→ lives_in Lisbon" in run("graph", "user")
    with tenant(palace.id):
        entity_for(palace.id, "Lisbon", "person")
    output = run("graph", "lisbon")
    assert output.startswith("Lisbon (place)")
    assert "Several entities share this name: Lisbon (place), Lisbon (person)." in output


def test_commands_show_nothing_of_other_users(palace, bob):
    assert as_json("facts", user=bob.email) == []
    assert as_json("recall", "What is my boat called?", user=bob.email)["hits"] == []
    with pytest.raises(CommandError, match="There is no entity"):
        run("graph Lisbon", user=bob.email)


QUERIES = ("recall Petrel", "facts", "graph Petrel")
UNKNOWN_ID = "01a1febb-9a0d-76f8-95c3-ef13c767beca"
INVALID_TARGETS = (
    *("", "wing", "wing Nowhere", "drawer none", "dates soon", "dates 2026-03-02..2026-03-01"),
    *("everything Berlin", "closet Loaves", "project None", f"--undo {UNKNOWN_ID}"),
)
REFUSED = [
    *((f"{query} --user z@x.org", r"^There is no account with the address z@x.org\.$") for query in QUERIES),
    *((f"{query} {USER} --at soon", r"^soon is no date; write it as ") for query in QUERIES),
    *((f"forget {what} {USER}", r"\.$") for what in INVALID_TARGETS),
    (f"graph Atlantis {USER}", r"^There is no entity called Atlantis\.$"),
    ("consolidate --user nobody@example.org", "no account"),
    (f"consolidate --undo {UNKNOWN_ID}", "Pass --user"),
    (f"consolidate {USER} --undo {UNKNOWN_ID}", "no run"),
]


def test_error_messages_are_one_sentence_and_clear_the_progress(alice):
    for line, sentence in REFUSED:
        with pytest.raises(CommandError, match=sentence) as refused:
            run_command(line)
        assert str(refused.value).endswith("."), line
    for screen, left in ((Terminal(), "Undoing …\r         \r"), (StringIO(), "")):
        with pytest.raises(CommandError, match="no such receipt"):
            run_command(f"forget {USER} --undo {uuid4()}", stderr=screen)
        assert screen.getvalue().lstrip("\r") == left


def progress_of(command):
    """The progress that a command shows on a terminal; the line is blank at the end."""
    screen = Terminal()
    out = run_command(command, stderr=screen)
    texts = [text.strip() for text in screen.getvalue().split("\r")]
    assert texts[-2:] == ["", ""]
    assert "…" not in out
    return [text for text in texts if text]


def active(user):
    with tenant(user.id):
        return Fact.objects.filter(status="active").count()


def test_consolidation_is_previewed_run_and_undone_with_progress(alice, bob):
    with tenant(alice.id):
        first, second = file(alice.id, ["Tea for me.", "More tea."])
        add(first, "Likes tea.")
        add(second, "likes the tea")
    assert run("consolidate --dry-run") == "alice@example.org: facts merged: 1\n"
    both = [f"Consolidating {number} of 2 memories …" for number in (1, 2)]
    assert progress_of("consolidate --dry-run") == both
    assert active(alice) == 2
    with tenant(alice.id):
        assert not ConsolidationRun.objects.exists()

    done = as_json("consolidate")
    assert done["counts"] == {"merged": 1}
    assert active(alice) == 1
    assert as_json("consolidate", "--undo", done["run"])["left"] == 0
    assert active(alice) == 2
    out = run_command("consolidate")
    assert "alice@example.org: facts merged: 1. Run " in out
    assert "bob@example.org: nothing to do. Run " in out
    assert active(alice) == 1
    with tenant(alice.id):
        latest = ConsolidationRun.objects.exclude(counts={}).latest("id")
    assert progress_of(f"consolidate {USER} --undo {latest.id}") == ["Undoing a run …"]


@pytest.fixture
def family(alice):
    with tenant(alice.id):
        remember(alice.id, "My sister Olga lives in Kyiv.", "How nice.")


def drawers(alice):
    with tenant(alice.id):
        return Drawer.objects.live().count()


def test_a_drawer_is_deleted_by_its_pointer_after_confirmation_and_restored(alice, family):
    assert "Messages and notes, word for word" in run("forget everything")
    assert drawers(alice) == 2
    with tenant(alice.id):
        pointer = str(Drawer.objects.get(content__contains="Olga").pointer)
    done = as_json("forget drawer", pointer, "--yes")
    assert (drawers(alice), done["counts"]["drawers"]) == (1, 1)
    assert "Undone" in run("forget --undo", done["receipt"])
    assert drawers(alice) == 2


@pytest.mark.parametrize("what", ["entity olga", "dates 2031-02-03"])
def test_forget_now_erases_and_checks_for_residue(alice, family, what):
    assert "none is left" in run(f"forget {what} --yes --now")
    with tenant(alice.id):
        assert not Message.objects.filter(content__contains="Olga").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (f"forget everything {USER}", "Counting what would be forgotten …"),
        (f"forget entity olga {USER} --yes", "Forgetting …"),
        (f"forget everything {USER} --yes --now", "Erasing, then searching every table …"),
        ("close_account alice@example.org", "Counting rows …"),
        ("close_account alice@example.org --yes", "Erasing the account, then searching every table …"),
        (f"demo remove {USER}", "Removing the demo palace …"),
        (f"reembed {USER}", "alice@example.org: embedding …"),
    ],
)
def test_commands_show_their_progress_on_a_terminal(alice, bob, family, command, words):
    assert progress_of(command) == [words]


def test_scrub_shows_its_steps(monkeypatch, settings):
    class Database:
        """A server without a log."""

        def cursor(self):
            return nullcontext(self)

        def execute(self, statement):
            """Accept every statement."""

        def fetchall(self):
            return []

    settings.EMBEDDED_DATABASE = object()
    monkeypatch.setattr(scrub, "connection", Database())
    monkeypatch.setattr(scrub, "as_owner", nullcontext)
    assert [text.partition(" …")[0] for text in progress_of("scrub")] == [
        "Renewing statistics, step 1 of 3",
        "Rewriting the tables, step 2 of 3; pages may have to wait for a moment",
        "Replacing the write-ahead log, step 3 of 3",
    ]


def test_reembed_adds_missing_vectors_once_and_reports_an_unavailable_embedder(alice, bob, embedder):
    embedder.fail_with(EmbedderUnavailable("The embedder is away."))
    with tenant(alice.id):
        remember(alice.id, *(f"The lake has heron number {n}." for n in range(140)))
        assert not DrawerVector.objects.exists()
    errors = StringIO()
    with pytest.raises(CommandError, match="Not finished for 1 of 1 users"):
        run_command(f"reembed {USER}", stderr=errors)
    assert "The embedder is away." in errors.getvalue()
    embedder.fail_with(None)
    out = run_command("reembed")
    assert "alice@example.org: 140 drawers embedded." in out
    assert "bob@example.org: 0 drawers embedded." in out
    with tenant(alice.id):
        assert DrawerVector.objects.count() == 140
    assert run("reembed") == "alice@example.org: 0 drawers embedded.\n"
