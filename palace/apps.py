"""The Django app of the site, which connects packages that must not import each other."""

import os
from dataclasses import replace

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from django.utils.module_loading import import_string

from llm import current
from llm.configuration import LlmConfiguration
from palace.checks import check_https, check_variables


class PalaceConfig(AppConfig):
    name = "palace"
    verbose_name = "Palace"

    def ready(self) -> None:
        register(check_variables, Tags.security)
        register(check_https, Tags.security, deploy=True)
        environment = {**os.environ, "PALACE_HOME": str(settings.PALACE_HOME)}
        configuration = LlmConfiguration.from_environment(environment)
        current.configure(replace(configuration, background_timeout_s=settings.BACKGROUND_TIMEOUT_S))
        current.register_configuration_source(import_string("chat.endpoints.own_configuration"))
