"""A user with a browser, and the errors on the pages they visit."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

EXPORT = Path(__file__).parents[1] / "fixtures" / "chatgpt" / "kittiwake.json"
IMPORT = re.compile(r"^Import [\d,]+ chats?$")
PASSWORD = "a lantern in the north hall"
TIMEOUT_MS = 60_000
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


def drop_file(page: Page, place: str, name: str, text: str) -> None:
    """Drag a file over an element and drop it there."""
    dragged = page.evaluate_handle(DRAGGED, [name, text])
    for event in ("dragover", "drop"):
        page.dispatch_event(place, event, {"dataTransfer": dragged})


@dataclass
class Visitor:
    """A user with a separate browser profile. `page` is the current page."""

    context: BrowserContext
    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Start recording errors of pages and requests to other hosts."""
        self.context.on("console", lambda message: self._on_console(message))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("request", lambda request: self._on_request(request.url))

    def go(self, path: str) -> int:
        """Open a page by path or URL; returns the status."""
        answer = self.page.goto(path if path.startswith("http") else self.address + path)
        assert answer is not None
        return answer.status

    def sign_up(self, name: str) -> None:
        """Create an account and give consent; ends on the welcome page."""
        self.go("/accounts/sign-up/")
        self.page.get_by_label("Name", exact=True).fill(name)
        self.page.get_by_label("Email").fill(f"{name.lower()}@example.org")
        self.page.locator("input[type=password]").nth(0).fill(PASSWORD)
        self.page.locator("input[type=password]").nth(1).fill(PASSWORD)
        self.page.get_by_role("button", name="Create account").click()
        agree = self.page.get_by_role("button", name="I agree")
        agree.wait_for()
        self.page.wait_for_load_state()  # a script has filled in the time zone
        agree.click()
        heading = self.page.get_by_role("heading", name="Welcome to your palace")
        expect(heading).to_be_visible()

    def see(self, words: str) -> None:
        """Reload the page until it shows these words, as a user without scripts does."""
        for _ in range(40):
            if self.page.get_by_text(words).count():
                return
            self.page.wait_for_timeout(500)
            self.page.reload()
        raise AssertionError(f"the page never said {words!r}")

    def notice(self, words: str) -> None:
        """Check that a toast shows these words; the status line for screen readers repeats it later."""
        expect(self.page.locator("#toasts")).to_contain_text(words)

    def _on_console(self, message: ConsoleMessage) -> None:
        expected = REFUSED_ON_PURPOSE.search(message.text) or ABANDONED.search(message.text)
        if message.type in {"error", "warning"} and not expected:
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _on_request(self, url: str) -> None:
        parts = urlsplit(url)
        here = {"127.0.0.1", "localhost"}  # passkeys are added under the second name
        if parts.scheme not in {"data", "blob"} and parts.hostname not in here:
            self.complaints.append(f"asked another host: {url}")
