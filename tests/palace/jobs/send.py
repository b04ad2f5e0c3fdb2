"""`python -m tests.palace.jobs.send ACTOR NAME…`: queues a job for each name."""

import sys

import django

django.setup()

from tests.palace.jobs import actors  # noqa: E402 - needs the apps

for name in sys.argv[2:]:
    getattr(actors, sys.argv[1]).send(name)
