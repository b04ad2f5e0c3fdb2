"""Settings for workers and sweeps of drills, with a fake embedder and short timeouts for dead workers."""

from palace.settings import *  # noqa: F403 - settings are one namespace
from palace.settings import DRAMATIQ_BROKER, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.drills"]
DRAMATIQ_BROKER["OPTIONS"] |= {
    "heartbeat_interval": 0.25,
    "heartbeat_ttl": 1,
    "maintenance_interval": 0.5,
}
