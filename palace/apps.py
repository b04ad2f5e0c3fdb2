"""The Django app of the site, which connects packages that must not import each other."""

import os
from dataclasses import replace

from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import import_string

from llm import current
from llm.configuration import LlmConfiguration


class PalaceConfig(AppConfig):
    name = "palace"
    verbose_name = "Palace"

    def ready(self) -> None:
        environment = {**os.environ, "PALACE_HOME": str(settings.PALACE_HOME)}
        configuration = LlmConfiguration.from_environment(environment)
        current.configure(replace(configuration, background_timeout_s=settings.BACKGROUND_TIMEOUT_S))
        current.register_configuration_source(import_string("chat.endpoints.own_configuration"))
