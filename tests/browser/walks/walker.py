"""Somebody who walks through a flow by one hand, and does not stop at the first page of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.visitors import PASSWORD, Visitor
from tests.browser.walks.hands import Hand
from tests.exports import export_of

MAX_LOOKS = 240


@dataclass(frozen=True, slots=True)
class Walker:
    """A visitor and how they work a page."""

    visitor: Visitor
    hand: Hand

    @property
    def page(self) -> Page:
        """The page before them."""
        return self.visitor.page

    def named(self, name: str) -> str:
        """A name that nobody has who walks by another hand."""
        return name + type(self.hand).__name__

    def go(self, path: str) -> None:
        """Open a page by its path, as a link from elsewhere does."""
        self.visitor.go(path)

    def press(self, name: str, *, within: Locator | None = None) -> None:
        """The button of this name."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.get_by_role("button", name=name, exact=True).first)

    def follow(self, name: str, *, within: Locator | None = None) -> None:
        """The link of this name."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.get_by_role("link", name=name).first)

    def tick(self, box: Locator) -> None:
        """A box, or one of several choices."""
        self.hand.tick(self.page, box)

    def write(self, label: str, words: str) -> None:
        """Words into the field of this name."""
        typed_into = self.page.locator("main input, main textarea")
        field = self.page.get_by_label(label, exact=True).and_(typed_into)
        self.hand.write(self.page, field.first, words)

    def open(self, words: str, *, within: Locator | None = None) -> None:
        """What says these words and can be unfolded."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.locator("summary").filter(has_text=words).first)

    def choose(self, label: str, words: str) -> None:
        """From the list of this name."""
        field = self.page.locator("main").get_by_label(label, exact=True).first
        self.hand.choose(self.page, field, words)

    def arrive(self, address: str) -> str:
        """The page's own address, once it is one of these, a pattern."""
        expect(self.page).to_have_url(re.compile(address))
        return self.page.url

    def undo(self) -> None:
        """By the button of what was just told."""
        toasts = self.page.locator("#toasts")
        self.hand.press(self.page, toasts.get_by_role("button", name="Undo").last)

    def notice(self, words: str) -> None:
        """The page says so, among what has just happened."""
        self.visitor.notice(words)
        self.hand.rest(self.page)

    def reads(self, words: str) -> None:
        """The page says so."""
        expect(self.page.locator("main")).to_contain_text(words)
        self.hand.rest(self.page)

    def lacks(self, words: str) -> None:
        """The page says so no more."""
        expect(self.page.locator("main")).not_to_contain_text(words)

    def still_reads(self, words: str) -> None:
        """The page says so, and when it is loaded again too."""
        self.reads(words)
        self.page.reload()
        self.reads(words)

    def settle(self, name: str) -> None:
        """Sign up and agree to what is kept by the shortest way; ends on the page of welcome."""
        self.visitor.context.request.get(self.visitor.address + "/accounts/sign-up/")
        name = self.named(name)
        account = {"name": name, "email": f"{name.lower()}@example.org"}
        consent = self._post("/accounts/sign-up/", **account, password1=PASSWORD, password2=PASSWORD)
        self._post(consent, remember="by-itself")
        self.go("/accounts/welcome/")

    def note(self, words: str, wing: str = "", closet: str = "") -> str:
        """Keep a note by the shortest way; returns the path of its drawer."""
        form = {"text": words, "wing": wing, "wing_kind": "topic", "room": "", "closet": closet}
        drawer = self._post("/memory/note/", **form)
        assert "/memory/drawers/" in drawer, "the note was refused"
        return drawer

    def bring(self, chats: Mapping[str, tuple[str, ...]]) -> None:
        """Import chats by the shortest way, and wait until they are read."""
        self.bring_export(export_of(chats))

    def bring_export(self, export: bytes) -> None:
        """Import a file by the shortest way, and wait until its chats are read."""
        file = FilePayload(name="conversations.json", mimeType="application/json", buffer=export)
        run = self._post("/chat/import/", file=file)
        self.until(run, "Last said")
        self._post(f"{run}begin/")
        self.until(run, "Everything you imported is saved to memory.")

    def until(self, path: str, words: str) -> None:
        """Ask for a page until it says so."""
        for _ in range(MAX_LOOKS):
            if words in self.visitor.context.request.get(self.visitor.address + path).text():
                return
            self.page.wait_for_timeout(250)
        raise AssertionError(f"{path} never said {words!r}")

    def _post(self, path: str, **fields: str | FilePayload) -> str:
        """Send a form without the page of it; returns the path it leads to."""
        asked, address = self.visitor.context.request, self.visitor.address
        (token,) = [c["value"] for c in self.visitor.context.cookies() if c["name"] == "csrftoken"]
        headers = {"Referer": address + path, "X-CSRFToken": token}
        answer = asked.post(address + path, multipart=fields, headers=headers)
        assert answer.ok, answer.status
        return answer.url.removeprefix(address)
