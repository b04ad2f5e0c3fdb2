"""A language model that says what a test gives it, word by word, and what people do in chats, by mouse."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.visitors import Visitor
from tests.openai_answers import Behaviour
from tests.openai_server import OpenAIServer, Received

WHOLE = "#thread > .message-assistant:not(.message-streaming)"


def box(page: Page) -> Locator:
    """Where a message is written."""
    return page.get_by_role("textbox", name="Message")


def send(page: Page, words: str) -> None:
    """Send a message, and wait until it stands in the chat."""
    said = page.locator(".message-user").count()
    box(page).fill(words)
    box(page).press("Enter")
    expect(page.locator(".message-user")).to_have_count(said + 1)


def answered(page: Page, number: int = 1) -> Locator:
    """The last of so many replies, once it is whole."""
    expect(page.locator(WHOLE)).to_have_count(number)
    expect(page.locator(".message-streaming")).to_have_count(0)
    return page.locator(WHOLE).last


def ask(visitor: Visitor, words: str) -> Locator:
    """The whole reply to words in a new chat."""
    visitor.go("/chat/")
    send(visitor.page, words)
    return answered(visitor.page)


def growing(page: Page, word: str = "word3 ") -> Locator:
    """The draft of a reply that has begun to be written."""
    draft = page.locator(".message-draft")
    expect(draft).to_contain_text(word.strip())
    return draft


def keep_note(visitor: Visitor, words: str) -> None:
    """Put something into the palace at once."""
    visitor.go("/memory/note/")
    visitor.page.locator("textarea").first.fill(words)
    visitor.page.get_by_role("button", name="Save note").click()
    visitor.page.wait_for_url("**/memory/**")
    visitor.page.wait_for_load_state()


def open_options(page: Page) -> None:
    """What can be done with a chat stands beside it, or on a narrow screen behind a button."""
    button = page.get_by_role("button", name="This chat", exact=True)
    if button.is_visible():
        button.click()


REPLY = "# Rye bread\n\nA **plan** for your bread:\n\n```python\nbake(hours=2)\n```\n\nThat is all."
SLOW = " ".join(f"word{number}" for number in range(400))


class Talker(OpenAIServer):
    """Replies are scripted; whoever else asks, such as to mine a chat, hears that there is nothing."""

    def behaviour_for(self, request: Received) -> Behaviour:
        """What is scripted next for a reply, or the usual one."""
        if not request.body.get("stream"):
            self.requests.append(request)
            return Behaviour()
        found = super().behaviour_for(request)
        return Behaviour(text=REPLY) if found == Behaviour() else found

    @property
    def replies(self) -> list[dict[str, Any]]:
        """What was asked for replies."""
        return [each.body for each in self.received("chat") if each.body.get("stream")]

    def says(self, text: str, **more: Any) -> None:
        """Let the next reply be this text."""
        self.script(Behaviour(text=text, **more))

    def says_slowly(self) -> None:
        """Let the next reply take a minute if nobody stops it."""
        self.says(SLOW, drip_s=0.15)

    def uses(self, tool: str, **arguments: str) -> None:
        """Let the model call a tool before its next reply."""
        self.script(Behaviour(text="", tool_calls=((tool, json.dumps(arguments)),)))

    def silence(self) -> None:
        """Forget what is scripted."""
        with self._lock:
            self._script.clear()
