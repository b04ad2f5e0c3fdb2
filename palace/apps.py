"""The Django app of the site: connects packages that must not import each other, and adds system checks."""

import os
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from django.core.checks import Warning as CheckWarning
from django.utils.module_loading import import_string

from llm import current
from llm.configuration import LlmConfiguration


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


def check_variables(**_: Any) -> list[CheckWarning]:
    """Warn of variables named like settings that no setting reads."""
    unknown = {
        name: get_close_matches(name, settings.ENV.names, 1) for name in settings.ENV.unknown("PALACE_")
    }
    return [
        CheckWarning(
            f"{name} is not a setting, so it has no effect.",
            hint=f"Did you mean {similar[0]}?" if similar else "docs/configuration.md lists all settings.",
            id="palace.W001",
        )
        for name, similar in unknown.items()
    ]


def check_https(**_: Any) -> list[CheckWarning]:
    """Name the setting that turns on what Django's own checks of HTTPS ask for."""
    if settings.HTTPS:
        return []
    hint = "Set PALACE_HTTPS=on and FORWARDED_ALLOW_IPS; docs/operating.md says how."
    return [CheckWarning("Pages and cookies may travel unencrypted.", hint=hint, id="palace.W002")]
