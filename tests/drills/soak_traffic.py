"""Mixed traffic for `tests.drills.soak`, run by locust."""

import json
import os
import random
from itertools import count
from typing import Any

from locust import HttpUser, between, task

KEYS = iter(json.loads(os.environ["SOAK_KEYS"]))
NUMBERS = count()
PERIOD = {"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
PAGES = ("", "facts/", "profile/", "timeline/", "graph/")
CITIES = ("Porto", "Kyiv", "Oslo", "Lima", "Nairobi", "Quito")


def sentence() -> str:
    """A new sentence to save."""
    return f"On day {next(NUMBERS)} I met a friend in {random.choice(CITIES)} for jasmine tea."


def question() -> str:
    """A question that a drawer answers."""
    return f"Whom did I meet in {random.choice(CITIES)}?"


class SoakUser(HttpUser):
    """A user with a separate token."""

    wait_time = between(1, 4)

    def on_start(self) -> None:
        token, self.session = next(KEYS)
        self.client.headers["Authorization"] = f"Bearer {token}"
        self.chat = self._post("conversations", {}, "chat")["id"]

    @task(4)
    def ask(self) -> None:
        """Recall. Requests cut short by the time limit are counted separately."""
        body = {"message": question()}
        with self.client.post("/api/v1/recall", json=body, name="recall", catch_response=True) as answer:
            if answer.ok and answer.json()["trace"]["degraded"]:
                answer.request_meta["name"] = "recall, cut short"

    @task(1)
    def ask_as_an_agent(self) -> None:
        """Recall over MCP."""
        call = {"name": "recall_memory", "arguments": {"query": question()}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        accept = {"Accept": "application/json, text/event-stream"}
        with self.client.post(
            "/mcp", json=body, headers=accept, name="MCP recall", catch_response=True
        ) as answer:
            if answer.ok and answer.json()["result"].get("isError"):
                answer.failure("The tool failed.")

    @task(2)
    def talk(self) -> None:
        """Stream a reply of the model, with memory in its prompt."""
        body = {"model": "palace", "stream": True, "messages": [{"role": "user", "content": sentence()}]}
        self.client.post("/v1/chat/completions", json=body, name="streamed reply")

    @task(2)
    def look(self) -> None:
        """Open a page in a browser."""
        page = random.choice(PAGES)
        cookie = {"Cookie": f"sessionid={self.session}", "Authorization": None}
        with self.client.get(
            f"/memory/{page}", headers=cookie, name="page", allow_redirects=False, catch_response=True
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"The page answers {answer.status_code}.")

    @task(3)
    def say(self) -> None:
        self._post(f"conversations/{self.chat}/messages", {"role": "user", "content": sentence()}, "message")

    @task(2)
    def note(self) -> None:
        self._post("notes", {"text": sentence()}, "note")

    @task(4)
    def browse(self) -> None:
        """List wings and drawers, and forget one now and then."""
        self.client.get("/api/v1/wings", name="wings")
        drawers = self.client.get("/api/v1/drawers", params=PERIOD, name="drawers").json()["items"]
        if len(drawers) > 5:
            self.client.delete(f"/api/v1/drawers/{drawers[-1]['id']}", name="forget")

    @task(1)
    def import_chat(self) -> None:
        """Import a chat, which is checked and then waits for confirmation."""
        chat = [{"uuid": str(next(NUMBERS)), "name": "Tea", "chat_messages": []}]
        file = ("conversations.json", json.dumps(chat), "application/json")
        with self.client.post(
            "/api/v1/imports", files={"file": file}, name="import", catch_response=True
        ) as answer:
            if answer.status_code == 409:
                answer.success()

    def _post(self, path: str, body: Any, name: str) -> Any:
        return self.client.post(f"/api/v1/{path}", json=body, name=name).json()
