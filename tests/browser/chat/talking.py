"""A scripted language model that streams word by word, and actions of users in chats."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import PHONE
from tests.browser.visitors import Visitor
from tests.openai_answers import Behaviour
from tests.openai_server import OpenAIServer, Received

FINISHED = "#thread > .message-assistant:not(.message-streaming)"


def box(visitor: Visitor) -> Locator:
    """The field for messages."""
    return visitor.page.get_by_role("textbox", name="Message")


def send(visitor: Visitor, words: str) -> None:
    """Send a message, and wait until it appears in the chat."""
    said = visitor.page.locator(".message-user").count()
    visitor.write("Message", words)
    visitor.press("Send")
    expect(visitor.page.locator(".message-user")).to_have_count(said + 1)


def finished_reply(page: Page, number: int = 1) -> Locator:
    """Wait for this number of finished replies, and return the last one."""
    expect(page.locator(FINISHED)).to_have_count(number)
    expect(page.locator(".message-streaming")).to_have_count(0)
    return page.locator(FINISHED).last


def ask(visitor: Visitor, words: str) -> Locator:
    """Send a message in a new chat, and return the finished reply."""
    visitor.go("/chat/")
    return ask_on(visitor, words)


def ask_on(visitor: Visitor, words: str, number: int = 1) -> Locator:
    """Send a message in the open chat; returns the reply once it is finished, the last of `number`."""
    visitor.write("Message", words)
    visitor.press("Send")
    return finished_reply(visitor.page, number)


def draft_with(page: Page, word: str = "word3 ") -> Locator:
    """The draft of a reply, once it contains a word."""
    draft = page.locator(".message-draft")
    expect(draft).to_contain_text(word.strip())
    return draft


def open_panel(visitor: Visitor, name: str = "This chat") -> None:
    """Show a panel beside the chat, which phones show only after pressing a button."""
    if visitor.page.viewport_size == PHONE:
        visitor.hand.press(visitor.page, visitor.page.get_by_role("button", name=name, exact=True))


def delete_chat(visitor: Visitor) -> None:
    """Delete the open chat."""
    open_panel(visitor)
    visitor.hand.press(visitor.page, visitor.page.get_by_role("link", name="Delete", exact=True))
    visitor.press("Delete")
    visitor.notice("Chat deleted.")


REPLY = "# Rye bread\n\nA **plan** for your bread:\n\n```python\nbake(hours=2)\n```\n\nThat is all."
SLOW = " ".join(f"word{number}" for number in range(400))


class ScriptedModel(OpenAIServer):
    """Streamed replies are scripted; other requests, such as for mining, get the default answer."""

    def behaviour_for(self, request: Received) -> Behaviour:
        """The next scripted behaviour for a reply, or the default one."""
        if not request.body.get("stream"):
            return Behaviour()
        found = super().behaviour_for(request)
        return Behaviour(text=REPLY) if found == Behaviour() else found

    def reply_with(self, text: str, **more: Any) -> None:
        """Script the next reply."""
        self.script(Behaviour(text=text, **more))

    def reply_slowly(self) -> None:
        """Script a reply that takes a minute unless it is stopped."""
        self.reply_with(SLOW, drip_s=0.15)

    def call_tool(self, tool: str, **arguments: str) -> None:
        """Script a tool call before the next reply."""
        self.script(Behaviour(text="", tool_calls=((tool, json.dumps(arguments)),)))

    def clear_script(self) -> None:
        """Clear the script."""
        with self._lock:
            self._script.clear()
