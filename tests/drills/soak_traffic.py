"""Mixed traffic for `tests.drills.soak`, as locust runs it."""

import json
import os
import random
from itertools import count
from typing import Any

from locust import HttpUser, between, task

TOKENS = iter(json.loads(os.environ["SOAK_TOKENS"]))
NUMBERS = count()
PERIOD = {"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
CITIES = ("Porto", "Kyiv", "Oslo", "Lima", "Nairobi", "Quito")


def sentence() -> str:
    """Something new to remember."""
    return f"On day {next(NUMBERS)} I met a friend in {random.choice(CITIES)} for jasmine tea."


class Person(HttpUser):
    """Somebody with a token of their own."""

    wait_time = between(1, 4)

    def on_start(self) -> None:
        self.client.headers["Authorization"] = f"Bearer {next(TOKENS)}"
        self.chat = self._post("conversations", {}, "chat")["id"]

    @task(4)
    def ask(self) -> None:
        self._post("recall", {"message": f"Whom did I meet in {random.choice(CITIES)}?"}, "recall")

    @task(3)
    def say(self) -> None:
        self._post(f"conversations/{self.chat}/messages", {"role": "user", "content": sentence()}, "message")

    @task(2)
    def note(self) -> None:
        self._post("notes", {"text": sentence()}, "note")

    @task(4)
    def browse(self) -> None:
        """Look around, and forget now and then."""
        self.client.get("/api/v1/wings", name="wings")
        drawers = self.client.get("/api/v1/drawers", params=PERIOD, name="drawers").json()["items"]
        if len(drawers) > 5:
            self.client.delete(f"/api/v1/drawers/{drawers[-1]['id']}", name="forget")

    @task(1)
    def bring(self) -> None:
        """Import a chat; it is looked through and then waits."""
        chat = [{"uuid": str(next(NUMBERS)), "name": "Tea", "chat_messages": []}]
        file = ("conversations.json", json.dumps(chat), "application/json")
        with self.client.post(
            "/api/v1/imports", files={"file": file}, name="import", catch_response=True
        ) as told:
            if told.status_code == 409:
                told.success()

    def _post(self, path: str, body: Any, name: str) -> Any:
        return self.client.post(f"/api/v1/{path}", json=body, name=name).json()
