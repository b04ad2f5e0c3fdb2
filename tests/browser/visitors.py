"""A user with a browser: actions on pages, requests that prepare a test, and the errors of the browser."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, FilePayload, Locator, Page, expect

from tests.browser.hands import Mouse
from tests.exports import export_of

EXPORT = Path(__file__).parents[1] / "fixtures" / "chatgpt" / "kittiwake.json"
IMPORT = re.compile(r"^Import [\d,]+ chats?$")
SAVED = "Everything you imported is saved to memory."
PASSWORD = "a lantern in the north hall"
TIMEOUT_MS = 60_000
MAX_REQUESTS = 720
# Chromium works without a sandbox or GPU, and makes no requests of its own.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
REFUSED_ON_PURPOSE = re.compile(r"(?:status of|Status Error Code) (?:404|410|422)")
# What htmx logs of a request whose page was left before the response. Failed ones log more.
ABANDONED = re.compile(r"htmx:(?:afterRequest|sendAbort), \[object")
DRAGGED = """([name, text]) => {
  const dragged = new DataTransfer();
  dragged.items.add(new File([text], name));
  return dragged;
}"""


def as_file(export: bytes) -> FilePayload:
    """An export as an uploaded file."""
    return FilePayload(name="conversations.json", mimeType="application/json", buffer=export)


@dataclass
class Visitor:
    """A user with a separate browser profile. `page` is the current page."""

    context: BrowserContext
    page: Page
    address: str
    hand: Mouse = field(default_factory=Mouse)
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Start recording errors of pages and requests to other hosts."""
        self.context.on("console", lambda message: self._on_console(message))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("request", lambda request: self._on_request(request.url))

    @property
    def main(self) -> Locator:
        """The main part of the page."""
        return self.page.locator("main")

    def go(self, path: str) -> int:
        """Open a page by path or URL; returns the status."""
        answer = self.page.goto(path if path.startswith("http") else self.address + path)
        assert answer is not None
        return answer.status

    def press(self, name: str | re.Pattern[str], *, within: Locator | None = None) -> None:
        """Press the button with this name."""
        button = (within or self.main).get_by_role("button", name=name, exact=True)
        self.hand.press(self.page, button.first)

    def follow(self, name: str, *, within: Locator | None = None) -> None:
        """Follow the link with this name."""
        self.hand.press(self.page, (within or self.main).get_by_role("link", name=name).first)

    def open(self, words: str, *, within: Locator | None = None) -> None:
        """Unfold the details with this summary."""
        summary = (within or self.main).locator("summary").filter(has_text=words)
        self.hand.press(self.page, summary.first)

    def check(self, box: Locator) -> None:
        """Toggle a checkbox, or select a radio button."""
        self.hand.check(self.page, box)

    def write(self, label: str, words: str) -> None:
        """Write text into the field with this label."""
        typed_into = self.page.locator("main input, main textarea")
        field = self.page.get_by_label(label, exact=True).and_(typed_into)
        self.hand.write(self.page, field.first, words)

    def write_password(self, words: str = PASSWORD) -> None:
        """Write the password into every field for it."""
        fields = self.main.locator("input[type=password]")
        expect(fields.first).to_be_visible()
        for each in fields.all():
            self.hand.write(self.page, each, words)

    def choose(self, label: str, words: str) -> None:
        """Select an option of the list with this label."""
        self.hand.choose(self.page, self.main.get_by_label(label, exact=True).first, words)

    def drop_file(self, place: str, name: str, text: str) -> None:
        """Drag a file over an element and drop it there."""
        dragged = self.page.evaluate_handle(DRAGGED, [name, text])
        for event in ("dragover", "drop"):
            self.page.dispatch_event(place, event, {"dataTransfer": dragged})

    def wait_for_url(self, address: str) -> str:
        """Wait until the URL matches a pattern, and return it."""
        expect(self.page).to_have_url(re.compile(address))
        return self.page.url

    def notice(self, words: str) -> None:
        """Check that a toast shows these words; the status line for screen readers repeats it later."""
        expect(self.page.locator("#toasts")).to_contain_text(words)
        self.hand.wait_until_idle(self.page)

    def undo(self, notice: str = "") -> None:
        """Press the undo button of the last toast, and wait for the next one."""
        toasts = self.page.locator("#toasts")
        self.hand.press(self.page, toasts.get_by_role("button", name="Undo").last)
        if notice:
            self.notice(notice)

    def undo_last(self) -> None:
        """Undo the last change on the activity page."""
        self.go("/memory/activity/")
        self.press("Undo")
        self.notice("Undone.")

    def shows(self, words: str) -> None:
        """Check that the page shows these words."""
        expect(self.main).to_contain_text(words)
        self.hand.wait_until_idle(self.page)

    def shows_no(self, words: str) -> None:
        """Check that the page does not show these words."""
        expect(self.main).not_to_contain_text(words)

    def keeps_showing(self, words: str) -> None:
        """Check that the page shows these words, also after a reload."""
        self.shows(words)
        self.page.reload()
        self.shows(words)

    def sign_up(self, name: str) -> None:
        """Sign up and give consent with direct requests."""
        self.post(self.create_account(name), remember="automatically")

    def create_account(self, name: str) -> str:
        """Sign up with direct requests; returns the path of the consent page."""
        self.text("/accounts/sign-up/")
        account = {"name": name, "email": f"{name.lower()}@example.org"}
        return self.post("/accounts/sign-up/", **account, password1=PASSWORD, password2=PASSWORD)

    def sign_in(self, email: str) -> None:
        """Sign in on the page for it."""
        self.go("/accounts/sign-in/")
        self.write("Email", email)
        self.write_password()
        self.press("Sign in")

    def search(self, words: str) -> Locator:
        """Search the memory on its page; returns the drawers that were found."""
        self.go("/memory/search/")
        self.write("Search your memory", words)
        self.press("Search")
        expect(self.page.get_by_role("status").filter(has_text="found")).to_be_visible()
        return self.page.locator("article.hit")

    def note(self, words: str, wing: str = "", closet: str = "") -> str:
        """Save a note with a direct request; returns the path of its drawer."""
        form = {"text": words, "wing": wing, "wing_kind": "topic", "room": "", "closet": closet}
        drawer = self.post("/memory/note/", **form)
        assert "/memory/drawers/" in drawer, "the note was refused"
        return drawer

    def import_chats(self, chats: Mapping[str, tuple[str, ...]]) -> None:
        """Import chats with direct requests, and wait until they are mined."""
        self.import_file(export_of(chats))

    def import_file(self, export: bytes) -> None:
        """Import a file with direct requests, and wait until its chats are mined."""
        run = self.post("/chat/import/", file=as_file(export))
        self.until(run, "Last message")
        self.post(f"{run}begin/")
        self.until(run, SAVED)

    def preview_import(self, export: Path | FilePayload) -> str:
        """Choose a file on the import page; returns the URL of its preview."""
        self.go("/chat/import/")
        self.choose_file(self.page.get_by_label("Export file"), export)
        self.shows("Last message")
        return self.wait_for_url(r"/chat/import/[0-9a-f-]{36}/$")

    def choose_file(self, field: Locator, file: Path | FilePayload) -> None:
        """Press a file field, and choose a file in the file chooser."""
        with self.page.expect_file_chooser() as chooser:
            self.hand.press(self.page, field)
        chooser.value.set_files(file)

    def text(self, path: str) -> str:
        """The text of a page, by a direct request."""
        return self.context.request.get(self.address + path).text()

    def until(self, path: str, words: str) -> None:
        """Request a page until it contains these words."""
        for _ in range(MAX_REQUESTS):
            if words in self.text(path):
                return
            self.page.wait_for_timeout(250)
        raise AssertionError(f"{path} never said {words!r}")

    def post(self, path: str, **fields: str | FilePayload) -> str:
        """Send a form without its page; returns the path of the resulting page."""
        (token,) = [each["value"] for each in self.context.cookies() if each["name"] == "csrftoken"]
        headers = {"Referer": self.address + path, "X-CSRFToken": token}
        answer = self.context.request.post(self.address + path, multipart=fields, headers=headers)
        assert answer.ok, answer.status
        return answer.url.removeprefix(self.address)

    def _on_console(self, message: ConsoleMessage) -> None:
        expected = REFUSED_ON_PURPOSE.search(message.text) or ABANDONED.search(message.text)
        if message.type in {"error", "warning"} and not expected:
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _on_request(self, url: str) -> None:
        parts = urlsplit(url)
        here = {"127.0.0.1", "localhost"}  # passkeys are added under the second name
        if parts.scheme not in {"data", "blob"} and parts.hostname not in here:
            self.complaints.append(f"asked another host: {url}")
