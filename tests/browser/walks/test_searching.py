"""Searching: filters, what is found chosen, and the way back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker


@pytest.fixture(scope="module")
def selma(settle: Settle) -> Walker:
    """Somebody with two subjects that share a word."""
    selma = settle("Selma")
    selma.note("The orchard has nine apple trees.", "Orchard", "Trees")
    selma.note("The apple cake needs cardamom.", "Kitchen", "Cakes")
    return selma


@pytest.mark.phone
def test_a_search_is_narrowed_and_the_way_back_undoes_it(selma: Walker) -> None:
    page = selma.page
    hits = page.locator("article.hit")
    selma.go("/memory/search/")
    selma.write("Search your memory", "apple")
    selma.press("Search")
    expect(hits).to_have_count(2)
    selma.hand.press(page, page.locator("summary").filter(has_text="Filters"))
    selma.hand.choose(page, page.locator("select[name=wing]"), "Kitchen")
    selma.press("Search")
    expect(hits).to_have_count(1)
    selma.still_reads("The apple cake needs cardamom.")
    page.go_back()
    expect(hits).to_have_count(2)
    selma.hand.rest(page)
    page.go_forward()
    expect(hits).to_have_count(1)
