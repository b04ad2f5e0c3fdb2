"""The configuration of the `jobs` app."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules

from jobs.broker import install_broker


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = "Jobs"

    def ready(self) -> None:
        """Install the broker, then declare every actor, so that each process can queue jobs by name."""
        install_broker()
        autodiscover_modules("actors")
