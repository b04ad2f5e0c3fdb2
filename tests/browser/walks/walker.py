"""A user who goes through a flow by keyboard or touch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.visitors import PASSWORD, Visitor
from tests.browser.walks.hands import Hand
from tests.exports import export_of

MAX_REQUESTS = 240


@dataclass(frozen=True, slots=True)
class Walker:
    """A visitor and their way of operating pages."""

    visitor: Visitor
    hand: Hand

    @property
    def page(self) -> Page:
        """The current page."""
        return self.visitor.page

    def unique_name(self, name: str) -> str:
        """A name that differs between keyboard and phone."""
        return name + type(self.hand).__name__

    def go(self, path: str) -> None:
        """Open a page by its path."""
        self.visitor.go(path)

    def press(self, name: str, *, within: Locator | None = None) -> None:
        """Press the button with this name."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.get_by_role("button", name=name, exact=True).first)

    def follow(self, name: str, *, within: Locator | None = None) -> None:
        """Follow the link with this name."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.get_by_role("link", name=name).first)

    def check(self, box: Locator) -> None:
        """Select a checkbox or a radio button."""
        self.hand.check(self.page, box)

    def write(self, label: str, words: str) -> None:
        """Write text into the field with this label."""
        typed_into = self.page.locator("main input, main textarea")
        field = self.page.get_by_label(label, exact=True).and_(typed_into)
        self.hand.write(self.page, field.first, words)

    def open(self, words: str, *, within: Locator | None = None) -> None:
        """Unfold the details with this summary."""
        place = within or self.page.locator("main")
        self.hand.press(self.page, place.locator("summary").filter(has_text=words).first)

    def choose(self, label: str, words: str) -> None:
        """Select an option of the list with this label."""
        field = self.page.locator("main").get_by_label(label, exact=True).first
        self.hand.choose(self.page, field, words)

    def wait_for_url(self, address: str) -> str:
        """Wait until the URL matches a pattern, and return it."""
        expect(self.page).to_have_url(re.compile(address))
        return self.page.url

    def undo(self) -> None:
        """Press the undo button of the last toast."""
        toasts = self.page.locator("#toasts")
        self.hand.press(self.page, toasts.get_by_role("button", name="Undo").last)

    def notice(self, words: str) -> None:
        """Check that a toast shows these words."""
        self.visitor.notice(words)
        self.hand.wait_until_idle(self.page)

    def shows(self, words: str) -> None:
        """Check that the page shows these words."""
        expect(self.page.locator("main")).to_contain_text(words)
        self.hand.wait_until_idle(self.page)

    def shows_no(self, words: str) -> None:
        """Check that the page does not show these words."""
        expect(self.page.locator("main")).not_to_contain_text(words)

    def keeps_showing(self, words: str) -> None:
        """Check that the page shows these words, also after a reload."""
        self.shows(words)
        self.page.reload()
        self.shows(words)

    def sign_up(self, name: str) -> None:
        """Sign up and give consent with direct requests; ends on the welcome page."""
        self.visitor.context.request.get(self.visitor.address + "/accounts/sign-up/")
        name = self.unique_name(name)
        account = {"name": name, "email": f"{name.lower()}@example.org"}
        consent = self._post("/accounts/sign-up/", **account, password1=PASSWORD, password2=PASSWORD)
        self._post(consent, remember="by-itself")
        self.go("/accounts/welcome/")

    def note(self, words: str, wing: str = "", closet: str = "") -> str:
        """Save a note with a direct request; returns the path of its drawer."""
        form = {"text": words, "wing": wing, "wing_kind": "topic", "room": "", "closet": closet}
        drawer = self._post("/memory/note/", **form)
        assert "/memory/drawers/" in drawer, "the note was refused"
        return drawer

    def import_chats(self, chats: Mapping[str, tuple[str, ...]]) -> None:
        """Import chats with direct requests, and wait until they are mined."""
        self.import_file(export_of(chats))

    def import_file(self, export: bytes) -> None:
        """Import a file with direct requests, and wait until its chats are mined."""
        file = FilePayload(name="conversations.json", mimeType="application/json", buffer=export)
        run = self._post("/chat/import/", file=file)
        self.until(run, "Last message")
        self._post(f"{run}begin/")
        self.until(run, "Everything you imported is saved to memory.")

    def until(self, path: str, words: str) -> None:
        """Request a page until it contains these words."""
        for _ in range(MAX_REQUESTS):
            if words in self.visitor.context.request.get(self.visitor.address + path).text():
                return
            self.page.wait_for_timeout(250)
        raise AssertionError(f"{path} never said {words!r}")

    def _post(self, path: str, **fields: str | FilePayload) -> str:
        """Send a form without its page; returns the path of the resulting page."""
        request, address = self.visitor.context.request, self.visitor.address
        (token,) = [c["value"] for c in self.visitor.context.cookies() if c["name"] == "csrftoken"]
        headers = {"Referer": address + path, "X-CSRFToken": token}
        answer = request.post(address + path, multipart=fields, headers=headers)
        assert answer.ok, answer.status
        return answer.url.removeprefix(address)
