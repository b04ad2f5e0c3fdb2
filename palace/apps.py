"""Django's entry for the site: joins the packages that must not know of one another."""

import os

from django.apps import AppConfig
from django.conf import settings

from llm import current
from llm.configuration import LlmConfiguration
from palace.broker import install_broker


class PalaceConfig(AppConfig):
    name = "palace"
    verbose_name = "Palace"

    def ready(self) -> None:
        """Install the queue and tell `llm` where the models are."""
        install_broker()
        environment = {**os.environ, "PALACE_HOME": str(settings.PALACE_HOME)}
        current.configure(LlmConfiguration.from_environment(environment))
