"""Palace as its own worker and sweep run it, with an embedder that needs no weights, and a short
memory of workers that have gone."""

from palace.settings import *  # noqa: F403 - settings are one namespace
from palace.settings import DRAMATIQ_BROKER, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.drills"]
DRAMATIQ_BROKER["OPTIONS"] |= {
    "heartbeat_interval": 0.25,
    "heartbeat_ttl": 1,
    "maintenance_interval": 0.5,
}
