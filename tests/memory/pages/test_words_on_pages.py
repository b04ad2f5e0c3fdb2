"""User text is shown as it was written and never becomes markup."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from memory.aaak import Tags
from memory.models import ActivityEvent, Drawer
from memory.pages.highlighting import PASSAGE_LENGTH, Mark, match_ranges, passage, pieces
from tests.html import check_fragment, check_page
from tests.memory.palaces import Spot, file, learn, relate

ATTACK = """</script></textarea>"'><img src=x onerror=alert(1)><b>{{ 7|add:7 }}</b>"""
ESCAPED = "&lt;img src=x onerror=alert(1)&gt;"
SCRIPTS = {
    "Chinese": "我每天早上七点喂酵母",
    "Arabic": "أطعم خميرتي كل صباح",
    "Hebrew": "אני מאכיל את המחמצת",
    "Russian": "Я кормлю закваску каждое утро",
    "emoji": "🥖👩‍👩‍👧 feeding time 🇵🇹",
}


def place(text):
    return Spot(wing=text, room=text, closet=text)


@pytest.fixture
def attacked(as_alice):
    tags = Tags(people=(ATTACK,), places=(ATTACK,), events=(ATTACK,), items=(ATTACK,))
    drawer = file(as_alice.id, [ATTACK, ATTACK], place(ATTACK), tags=tags)[0]
    Drawer.objects.filter(user_id=as_alice.id, id=drawer.id).update(annotation=ATTACK, speaker=ATTACK)
    learn(drawer, "src=x", ATTACK, kind=ATTACK[:20], review_reason=ATTACK)
    learn(drawer, "img", f"{ATTACK} again")
    relate(drawer, ATTACK, ATTACK, f"{ATTACK} 2")
    ActivityEvent.objects.create(
        user_id=as_alice.id,
        kind=ActivityEvent.Kind.MINED,
        subject_id=drawer.source_id,
        details={
            "drawers": [],
            "facts": [],
            "relations": [],
            "refused": [{"item": ATTACK, "reason": ATTACK}],
            "notes": [ATTACK],
        },
    )
    return drawer


def addresses(drawer):
    wing, room, closet = drawer.wing_id, drawer.room_id, drawer.closet_id
    return {
        "palace": reverse("memory:palace"),
        "wing": reverse("memory:wing", args=[wing]),
        "room": reverse("memory:room", args=[wing, room]),
        "closet": reverse("memory:closet", args=[wing, room, closet]),
        "drawer": reverse("memory:drawer", args=[drawer.id]),
        "delete": reverse("memory:delete_closet", args=[wing, room, closet]),
        "search": reverse("memory:search", query={"q": drawer.content}),
        "facts": reverse("memory:facts"),
        "review": reverse("memory:facts", query={"status": "pending_review"}),
        "graph": reverse("memory:graph"),
        "activity": reverse("memory:activity"),
    }


def test_markup_is_escaped_on_every_page(alice_client, attacked, subtests):
    for name, url in addresses(attacked).items():
        with subtests.test(name):
            html = check_page(alice_client.get(url))
            assert "<img src=x" not in html
            assert ESCAPED in html or "onerror=alert(1)" not in html
            if name == "palace":
                assert "&lt;/script&gt;" in html, "long names are cut in the tree"
            else:
                assert "{{ 7|add:7 }}" in html or name == "activity"
    place = [attacked.wing_id, attacked.room_id, attacked.closet_id]
    for depth, name in enumerate(("wing_list", "room_list", "closet_list", "drawer_list")):
        html = check_fragment(alice_client.get(reverse(f"memory:{name}", args=place[:depth])))
        assert "<img" not in html
        assert "&lt;img src=x" in html or name == "drawer_list", "long names are cut in the tree"

    alice_client.post(reverse("memory:delete_drawer", args=[attacked.id]))
    html = check_page(alice_client.get(reverse("memory:trash")))
    assert "<img src=x" not in html
    assert ESCAPED in html


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_any_script_is_shown_and_found_with_its_text_direction(alice_client, as_alice, text):
    drawer = file(as_alice.id, [text], place(text))[0]
    learn(drawer, text[:4], text)

    for url in addresses(drawer).values():
        check_page(alice_client.get(url))
    page = alice_client.get(addresses(drawer)["closet"]).content.decode()
    found = alice_client.get(addresses(drawer)["search"]).content.decode()

    assert f'<blockquote dir="auto">{text}</blockquote>' in page
    assert reverse("memory:drawer", args=[drawer.id]) in found
    assert "<mark>" in found or text == SCRIPTS["emoji"]


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


def test_match_ranges_finds_words_in_any_form_and_script():
    def marked(text, *words):
        return [text[start:end] for start, end in match_ranges(text, words)]

    assert marked("She bakes; baking is baked in.", "bake") == ["bakes", "baking", "baked"]
    assert marked("我每天早上喂酵母", "酵", "母") != []
    assert marked("Привет, МОСКВА!", "москва") == ["МОСКВА"] or marked("Привет, МОСКВА!", "москв") == [
        "МОСКВА"
    ]
    assert marked("the of and", "the") == []
    urls = "https://tea.example.com/a?b=c email@tea.com tea—or"
    assert marked(urls, "tea") == ["tea", "tea", "tea"]
    assert marked("state-of-the-art", "art") == ["art"]
    assert marked("東京タワーへ", "東京", "タワー") in (["東京", "タワー"], ["タワー", "東京"])
