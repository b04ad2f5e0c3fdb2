"""Give every process of a drill the fake embedder, and short timeouts for killed processes."""

from contextlib import ExitStack
from datetime import timedelta

from django.apps import AppConfig

from llm import current
from tests.fake_gateway import FakeEmbedder

_until_exit = ExitStack()
SOON = timedelta(seconds=3)
LONGER_THAN_A_REQUEST = timedelta(seconds=30)


class DrillsConfig(AppConfig):
    name = "tests.drills"

    def ready(self) -> None:
        """Apply the settings until the process ends."""
        from api.rest import idempotency  # noqa: PLC0415 - models are loaded by now
        from chat.mining import run  # noqa: PLC0415
        from memory.mining import progress  # noqa: PLC0415
        from transfer import file_jobs  # noqa: PLC0415

        file_jobs.STALLED_AFTER = progress.CRASH_PAUSE = run.IMPORT_STALLED_AFTER = SOON
        idempotency.CLAIM_TIMEOUT = LONGER_THAN_A_REQUEST
        _until_exit.enter_context(current.using(embedder=FakeEmbedder()))
