"""Gives every process of a drill the stand-in for the embedder."""

from contextlib import ExitStack

from django.apps import AppConfig

from llm import current
from llm.fake_gateway import FakeEmbedder

_for_good = ExitStack()


class DrillsConfig(AppConfig):
    name = "tests.drills"

    def ready(self) -> None:
        """Put it in place until the process ends."""
        _for_good.enter_context(current.using(embedder=FakeEmbedder()))
