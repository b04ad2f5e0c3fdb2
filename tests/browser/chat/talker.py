"""A language model for chats in a browser: it says what a test gives it, word by word."""

import json
from typing import Any

from tests.openai_answers import Behaviour
from tests.openai_server import OpenAIServer, Received

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
