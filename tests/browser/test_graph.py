"""The graph of entities by mouse, by keyboard, on a phone, and at different times."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import OWNER, Entity, Relation
from tests.exports import demo_export
from tests.memory.palaces import file

pytestmark = pytest.mark.drill
SHOWN = ".graph .node:not(.is-off)"
ENTITY_COUNT = 2_000
STEP_S = 0.1
VISIBLE = """() => [...document.querySelectorAll(".graph text")]
  .filter((each) => getComputedStyle(each).visibility === "visible")
  .map((each) => each.getBoundingClientRect())
  .map(({left, right, top, bottom}) => [left, right, top, bottom])"""
COVERED = """() => {
  const boxes = (each) => [...document.querySelectorAll(each)].map((found) => found.getBoundingClientRect());
  const marks = boxes(".graph .node:not(.is-off) > use");
  const words = boxes(".graph .node:not(.is-crowded) tspan");
  return words.filter(({left, right, top, bottom}) => left < right && marks.some((mark) =>
    left < mark.right && mark.left < right && top < mark.bottom && mark.top < bottom)).length;
}"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SETTLED = "() => !document.querySelector('.drawing-sheet').style.transform"
CIRCLE = 20
KINDS = ("person", "place", "organisation", "project", "topic")
NAMES = ("Guest {}", "Guesthouse at the harbour {}", "里斯本港口的朋友{}", "Wim {}")


@pytest.fixture(scope="module")
def nelly(new_visitor):
    """A user with the mined chats of the demo."""
    nelly = new_visitor("Nelly")
    nelly.import_file(demo_export(timezone.now()))
    return nelly


@pytest.fixture(scope="module")
def cleo(new_visitor, site):
    """A user with a touch screen and two thousand entities."""
    cleo = new_visitor("Cleo", has_touch=True)
    adding = f"from tests.browser.test_graph import add_entities; add_entities({ENTITY_COUNT})"
    site.manage("shell", "--no-imports", "-c", adding)
    return cleo


def add_entities(count):
    """Run on the site: add entities in circles of twenty around one of them, and connect every seventh with
    another circle. The last tenth are connected only with the owner."""
    user_id = User.objects.get(email="cleo@example.org").id
    with tenant(user_id):
        drawer = file(user_id, ["We all met at the harbour."])[0]
        owner = Entity(user_id=user_id, name=OWNER, type=OWNER)
        others = [
            Entity(user_id=user_id, name=NAMES[number % 4].format(number), type=KINDS[number % 5])
            for number in range(count)
        ]
        Entity.objects.bulk_create([owner, *others])
        joined = others[: count * 9 // 10]
        pairs = [(owner, each) for each in others[len(joined) :]]
        pairs += [(joined[number - number % CIRCLE], each) for number, each in enumerate(joined)]
        pairs += [(joined[number * 13 % len(joined)], each) for number, each in enumerate(joined[::7])]
        different = {(one.id, other.id) for one, other in pairs if one != other}
        given = {"relation": "acquainted_with", "confidence": 0.9, "valid_from": drawer.said_at}
        Relation.objects.bulk_create(
            Relation(user_id=user_id, subject_id=one, object_id=other, drawer=drawer, **given)
            for one, other in different
        )


@pytest.fixture
def page(nelly):
    nelly.go("/memory/graph/")
    expect(nelly.page.get_by_role("slider", name="Month")).to_be_visible()
    yield nelly.page
    nelly.page.set_viewport_size({"width": 1280, "height": 800})


def box_of(page):
    """The visible part of the graph."""
    page.wait_for_timeout(100)
    return [
        float(each)
        for each in page.evaluate("document.querySelector('.graph').getAttribute('viewBox')").split()
    ]


def labels(page):
    """How many labels are visible, none of which overlap."""
    page.evaluate(PAINTED)
    page.wait_for_function(SETTLED)
    boxes = sorted(page.evaluate(VISIBLE), key=lambda box: box[2])
    for number, (left, right, _, bottom) in enumerate(boxes):
        for other_left, other_right, top, _ in boxes[number + 1 :]:
            beside = left >= other_right - 1 or other_left >= right - 1
            assert beside or top >= bottom - 1
    return len(boxes)


def test_graph_zooms_and_pans_without_overlapping_names(page):
    whole = box_of(page)
    assert labels(page)
    page.get_by_role("button", name="Zoom in").click()
    near = box_of(page)
    assert near[2] < whole[2]
    page.get_by_role("region", name="Diagram of relations").press("ArrowRight")
    assert box_of(page)[0] > near[0]
    page.mouse.move(500, 500)
    page.mouse.down()
    page.mouse.move(560, 560, steps=4)
    page.mouse.up()
    assert box_of(page)[1] < near[1]
    page.get_by_role("button", name="Fit").click()
    assert box_of(page) == whole
    for _ in range(3):
        page.get_by_role("button", name="Zoom out").click()
    assert labels(page)
    assert page.evaluate(COVERED) == 0, "words below a name cover the mark of the next row"


def test_selected_entity_is_shown_beside_the_graph(page):
    node = page.locator(SHOWN).first
    name = (node.locator("text").evaluate("e => e.firstChild.textContent") or "").strip()
    node.focus()
    expect(page.locator(".graph.is-isolating")).to_be_visible()
    node.press("Enter")
    expect(page).to_have_url(re.compile("entity=[0-9a-f-]{36}"))
    selected = page.get_by_role("region", name="Selected")
    expect(selected.get_by_role("heading")).to_contain_text(name.rstrip("…"))
    expect(page.locator(".graph .is-chosen")).to_have_count(1)
    selected.get_by_role("link", name="Only these connections").click()
    expect(page).to_have_url(re.compile("hops=1"))


def test_phone_shows_the_selected_entity_with_its_neighbours(page):
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".ego")).to_be_visible()
    expect(page.locator(".drawing-scroll")).to_be_hidden()
    page.locator(".ego a").first.click()
    expect(page).to_have_url(re.compile("entity="))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_slider_changes_graph_and_url_to_a_month(page):
    now = page.locator(SHOWN).count()
    slider = page.get_by_role("slider", name="Month")
    slider.press("Home")
    expect(page).to_have_url(re.compile(r"at=\d{4}-\d\d-\d\d"))
    expect(page.locator("#graph-view")).not_to_have_class(re.compile("htmx"))
    then = page.locator(SHOWN).count()
    assert then < now
    page.reload()
    assert page.locator(SHOWN).count() == then
    page.go_back()
    expect(page).to_have_url(re.compile(r"/memory/graph/$"))


def test_kinds_filter_graph_and_table(page):
    page.get_by_label("People and animals").uncheck()
    expect(page).to_have_url(re.compile("kinds="))
    expect(page.locator(f"{SHOWN}.of-person")).to_have_count(0)
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.locator("#graph-view tbody tr")).not_to_have_count(0)
    expect(page.locator("#graph-view tbody")).not_to_contain_text("friend")


def test_graph_of_two_thousand_entities_is_legible_and_drags_smoothly(cleo):
    cleo.go("/memory/graph/")
    page = cleo.page
    page.get_by_role("button", name=f"Draw {ENTITY_COUNT}").click()
    expect(page.locator(SHOWN)).to_have_count(ENTITY_COUNT)
    expect(page.locator(".graph.is-live")).to_be_visible()
    far = labels(page)
    measured = page.context.new_cdp_session(page)
    measured.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy():
        """The processor time the page has used so far, in seconds."""
        found = measured.send("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) for each in found if each["name"] == "TaskDuration")

    page.mouse.move(600, 400)
    page.mouse.down()
    before = busy()
    page.mouse.move(540, 440, steps=20)
    assert busy() - before <= 20 * STEP_S
    page.mouse.up()
    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    assert labels(page) > far > 80


def test_two_fingers_zoom_the_graph_and_one_scrolls_the_page(cleo):
    cleo.go("/memory/graph/")
    page = cleo.page
    expect(page.locator(".graph.is-live")).to_be_visible()
    whole = box_of(page)
    touch = page.context.new_cdp_session(page)

    def move(kind, *points):
        touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": touches})

    move("Start", (560, 400), (660, 400))
    for step in range(1, 11):
        move("Move", (560 - 10 * step, 400), (660 + 10 * step, 400))
    move("End")
    near = box_of(page)
    assert near[2] == pytest.approx(whole[2] / 3, rel=0.05)
    move("Start", (600, 500))
    for step in range(1, 21):
        move("Move", (600, 500 - 10 * step))
    move("End")
    page.wait_for_function("scrollY > 50")
    assert box_of(page) == near
