"""System checks: mistyped environment variables, and production without HTTPS."""

from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import Warning as CheckWarning


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
