"""The wizard of forgetting: what, how much of it, yes, the receipt, and the way back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

PREVIEW = r"/memory/forget/preview/\?kind=wing"
RECEIPT = r"/memory/forget/[0-9a-f-]{36}/$"


@pytest.fixture(scope="module")
def frida(settle: Settle) -> Walker:
    """Somebody with three subjects."""
    frida = settle("Frida")
    frida.note("The lighthouse is painted in three colours.", "Lighthouse", "Paint")
    frida.note("The ferry leaves at nine.", "Ferry", "Times")
    frida.note("The herring is smoked over beech.", "Herring", "Smoke")
    return frida


@pytest.mark.phone
def test_a_subject_is_looked_at_forgotten_and_taken_back(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Lighthouse (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A subject"))
    frida.reads("Nothing has happened yet.")
    frida.still_reads("The lighthouse is painted in three colours.")
    frida.arrive(PREVIEW)
    frida.press("Forget it")
    frida.still_reads("Recall can’t find it any more.")
    receipt = frida.arrive(RECEIPT)
    frida.go("/memory/search/?q=lighthouse")
    frida.lacks("three colours")

    page.go_back()
    expect(page).to_have_url(receipt)
    frida.press("Undo")
    frida.notice("1 drawer was restored.")
    frida.still_reads("You undid this")
    frida.go("/memory/search/?q=lighthouse")
    frida.reads("three colours")


def test_the_way_back_leads_to_a_wizard_that_tells_the_truth(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.choose("Wing", "Ferry (1)")
    frida.press("Preview", within=page.get_by_role("region", name="A subject"))
    frida.reads("The ferry leaves at nine.")
    frida.tick(page.get_by_label("Erase now"))
    frida.press("Forget it")
    frida.reads("It is erased.")
    page.go_back()
    frida.arrive(PREVIEW)
    frida.lacks("The ferry leaves at nine.")
    frida.go("/memory/forget/")
    expect(page.get_by_label("Wing", exact=True)).not_to_contain_text("Ferry")
    frida.follow("A wing", within=page.get_by_role("region", name="Previously forgotten"))
    frida.reads("It is erased.")


def test_everything_goes_only_after_its_words_are_typed(frida: Walker) -> None:
    page = frida.page
    frida.go("/memory/forget/")
    frida.press("Preview everything")
    frida.write("Type “forget everything” to continue", "forget nothing")
    frida.press("Forget it")
    frida.reads("That does not match. Nothing was forgotten.")
    frida.write("Type “forget everything” to continue", "forget everything")
    frida.press("Forget it")
    frida.reads("Recall can’t find it any more.")
    frida.go("/memory/search/?q=herring")
    frida.lacks("smoked over beech")
    page.go_back()
    frida.press("Undo")
    frida.notice("were restored.")
    frida.go("/memory/search/?q=herring")
    frida.reads("smoked over beech")
