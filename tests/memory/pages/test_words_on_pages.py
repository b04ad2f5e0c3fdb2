"""User text is shown as written and never becomes markup; pages speak to their owner, in their language."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import trans_real
from hypothesis import given
from hypothesis import strategies as st

from chat.replies.generation import INCOMPLETE, describe_error
from chat.replies.jobs import STOPPED
from llm.errors import NoEndpoint
from memory.aaak import Tags
from memory.models import ActivityEvent, Drawer, Entity, Fact
from memory.pages.highlighting import PASSAGE_LENGTH, Mark, passage, pieces
from memory.templatetags.notices import translated
from memory.text.matching import lexemes_of_terms, matches
from tests.html import check_fragment, check_page
from tests.memory.palaces import MONDAY, Spot, file, learn, relate
from transfer.importing.entries import FILE_TRUNCATED

ATTACK = """</script></textarea>"'><img src=x onerror=alert(1)><b>{{ 7|add:7 }}</b>"""
ESCAPED = "&lt;img src=x onerror=alert(1)&gt;"
SCRIPTS = {
    "Chinese": "我每天早上七点喂酵母",
    "Arabic": "أطعم خميرتي كل صباح",
    "Hebrew": "אני מאכיל את המחמצת",
    "Russian": "Я кормлю закваску каждое утро",
    "emoji": "🥖👩‍👩‍👧 feeding time 🇵🇹",
}


def named(text):
    return Spot(wing=text, room=text, closet=text)


def addresses(drawer):
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    return {
        "palace": reverse("memory:palace"),
        "wing": reverse("memory:wing", args=place[:1]),
        "room": reverse("memory:room", args=place[:2]),
        "closet": reverse("memory:closet", args=place),
        "drawer": reverse("memory:drawer", args=[drawer.id]),
        "delete": reverse("memory:delete_closet", args=place),
        "search": reverse("memory:search", query={"q": drawer.content}),
        "facts": reverse("memory:facts"),
        "review": reverse("memory:facts", query={"status": "pending_review"}),
        "graph": reverse("memory:graph"),
        "activity": reverse("memory:activity"),
    }


def test_markup_is_escaped_on_every_page(alice_client, as_alice, subtests):
    tags = Tags(people=(ATTACK,), places=(ATTACK,), events=(ATTACK,), items=(ATTACK,))
    drawer = file(as_alice.id, [ATTACK, ATTACK], named(ATTACK), tags=tags)[0]
    Drawer.objects.filter(user_id=as_alice.id, id=drawer.id).update(annotation=ATTACK, speaker=ATTACK)
    learn(drawer, "src=x", ATTACK, kind=ATTACK[:20], review_reason=ATTACK)
    learn(drawer, "img", f"{ATTACK} again")
    relate(drawer, ATTACK, ATTACK, f"{ATTACK} 2")
    details = {"refused": [{"item": ATTACK, "reason": ATTACK}], "notes": [ATTACK]}
    details |= {"drawers": [], "facts": [], "relations": []}
    ActivityEvent.objects.create(
        user_id=as_alice.id, kind="memory_mined", subject_id=drawer.source_id, details=details
    )
    for name, url in addresses(drawer).items():
        with subtests.test(name):
            html = check_page(alice_client.get(url))
            assert "<img src=x" not in html
            assert ESCAPED in html or "onerror=alert(1)" not in html
            if name == "palace":
                assert "&lt;/script&gt;" in html, "long names are cut in the tree"
            else:
                assert "{{ 7|add:7 }}" in html or name == "activity"
    place = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    for depth, name in enumerate(("wing_list", "room_list", "closet_list", "drawer_list")):
        html = check_fragment(alice_client.get(reverse(f"memory:{name}", args=place[:depth])))
        assert "<img" not in html
        assert "&lt;img src=x" in html or name == "drawer_list", "long names are cut in the tree"
    alice_client.post(reverse("memory:delete_drawer", args=[drawer.id]))
    html = check_page(alice_client.get(reverse("memory:trash")))
    assert "<img src=x" not in html
    assert ESCAPED in html


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_any_script_is_shown_and_found_with_its_text_direction(alice_client, as_alice, text):
    drawer = file(as_alice.id, [text], named(text))[0]
    learn(drawer, text[:4], text)
    urls = addresses(drawer)
    shown = {name: check_page(alice_client.get(urls[name])) for name in ("closet", "search", "palace")}
    assert f'<blockquote dir="auto">{text}</blockquote>' in shown["closet"]
    assert reverse("memory:drawer", args=[drawer.id]) in shown["search"]
    assert "<mark>" in shown["search"] or text == SCRIPTS["emoji"]


MARKS = st.lists(st.builds(Mark, st.integers(-5, 60), st.integers(-5, 60), st.integers(0, 9)))


@given(st.text(max_size=50), MARKS)
def test_pieces_keep_all_text_and_mark_exactly_the_given_ranges(text, marks):
    found = pieces(text, marks)
    flags = [piece.marked for piece in found for _ in piece.text]
    assert "".join(piece.text for piece in found) == text
    assert flags == [any(mark.start <= at < mark.end for mark in marks) for at in range(len(text))]
    ends = {number for piece in found for number in piece.ends}
    assert ends == {m.number for m in marks if m.number and max(0, m.start) < min(len(text), m.end)}


@given(st.text(max_size=3000), st.integers(0, 3000), st.lists(st.text(max_size=9), max_size=3))
def test_a_passage_is_a_verbatim_part_of_the_text(text, start, words):
    found = passage(text, (start, start + 10), words)
    shown = "".join(piece.text for piece in found.pieces)
    assert shown in text
    assert len(shown) <= PASSAGE_LENGTH
    assert found.before or text.startswith(shown)
    assert found.after or text.endswith(shown)


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("She bakes; baking is baked in.", ["bake"], {"bakes", "baking", "baked"}),
        ("我每天早上喂酵母", ["酵", "母"], {"酵", "母"}),
        ("Привет, МОСКВА!", ["москв"], {"МОСКВА"}),
        ("the of and", ["the"], set()),
        ("https://tea.example.com/a?b=c email@tea.com tea—or", ["tea"], {"tea"}),
        ("state-of-the-art", ["art"], {"art"}),
        ("東京タワーへ", ["東京", "タワ", "ワー"], {"東京", "タワー"}),
        ("İß東京", ["東京"], {"東京"}),
    ],
)
def test_the_words_of_a_search_are_marked_in_any_form_and_script(text, words, marked):
    assert {text[start:end] for start, end in matches(text, lexemes_of_terms(words))} == marked


SAID = (
    "I teach at a small music school in Alfama, and I live in Leeds.",
    "My friend Beatriz plays viola. I carry an adrenaline pen.",
    "I have an audition on 3 May. I like how independent cats are.",
    "Now I live in Porto.",
)
LIKED, CATS = "I like how independent cats are", "cats because they are independent"
HOME = {"key": "home_city", "single_valued": True}
BROKEN = ("You lives", "You works", "You friend", "You has", "you lives", "The user", "the user")
PAGES = ("facts", "profile", "graph", "timeline", "review", "activity", "paths", "palace")
SHOWN = (
    "You said: “I teach at a small music school in Alfama, and I live in Leeds.”",
    "You live in Porto.",
    "Beatriz is your friend.",
    "You have an adrenaline pen.",
    "On your calendar: an audition.",
    "You said: “I like how independent cats are”",
)


def add_fact(drawer, words, statement, what, **given):
    predicate, _, value = what.partition(" ")
    return learn(drawer, words, statement, predicate=predicate, value=value, object=value, **given)


@pytest.fixture
def owner_pages(as_alice):
    """Pages with facts from the built-in reader and from a model, one of which has ended."""
    first, second, third, last = drawers = file(as_alice.id, list(SAID))
    later = MONDAY + timedelta(days=9)
    facts = [
        add_fact(first, SAID[0], "The user works as teach.", "works_as teach", key="occupation"),
        add_fact(first, SAID[0], "The user lives in Leeds.", "lives_in Leeds", **HOME),
        add_fact(second, "My friend Beatriz", "Beatriz is the user's friend.", "friend_of Beatriz"),
        add_fact(second, "an adrenaline pen", "The user has adrenaline pen.", "has adrenaline pen"),
        add_fact(third, "I have an audition", "On the user's calendar: audition.", "has_event audition"),
        add_fact(third, LIKED, f"The user likes {CATS}.", "likes cats", mined_by="model"),
        add_fact(third, "cats", "The user keeps cats.", "keeps cats", review_reason="Unsure."),
        add_fact(last, SAID[3], "The user lives in Porto.", "lives_in Porto", valid_from=later, **HOME),
    ]
    relate(second, "user", "studied_with", "Beatriz")
    relate(second, "user", "teaches", "Leo")
    details = {"drawers": [str(each.id) for each in drawers], "facts": [str(each.id) for each in facts]}
    ActivityEvent.objects.create(
        user_id=as_alice.id, kind="memory_mined", details=details | {"relations": [], "refused": []}
    )
    return [
        *(reverse(f"memory:{name}") for name in PAGES),
        *(reverse("memory:drawer", args=[each.id]) for each in drawers),
        *(reverse("memory:fact", args=[each.id]) for each in Fact.objects.all()),
        *(reverse("memory:entity", args=[each.id]) for each in Entity.objects.all()),
    ]


def test_no_page_speaks_of_the_user_in_the_third_person(
    alice_client, owner_pages, subtests, django_assert_max_num_queries
):
    past = f"{reverse('memory:facts')}?status=superseded"
    for url in (*owner_pages, past):
        with subtests.test(url):
            html = check_page(alice_client.get(url))
            assert [words for words in BROKEN if words in html] == []
    with django_assert_max_num_queries(25):
        html = alice_client.get(reverse("memory:facts")).text
    assert [sentence for sentence in SHOWN if sentence not in html] == []
    assert "You used to live in Leeds." in check_page(alice_client.get(past))


def test_stored_notices_are_translated_whole_or_sentence_by_sentence(monkeypatch):
    known = {STOPPED: "Du hast diese Antwort angehalten.", INCOMPLETE: "Hier bricht sie ab."}
    known[FILE_TRUNCATED] = "Die Datei hört mittendrin auf. Lade sie noch einmal herunter."
    catalogue = trans_real.translation("de")
    monkeypatch.setattr(catalogue, "gettext", lambda words: known.get(words, words))
    notice = f"{STOPPED} {INCOMPLETE}"
    with translation.override("de"):
        assert translated(notice) == "Du hast diese Antwort angehalten. Hier bricht sie ab."
        assert translated(f"Unknown words. {INCOMPLETE}") == "Unknown words. Hier bricht sie ab."
        assert translated("") == ""
        assert translated(FILE_TRUNCATED) == known[FILE_TRUNCATED]
        assert describe_error(NoEndpoint()) == "No language model is connected.", "stored untranslated"
    with translation.override("en"):
        assert translated(notice) == notice
