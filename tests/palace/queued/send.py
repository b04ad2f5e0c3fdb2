"""`python -m tests.palace.queued.send ACTOR NAME…`: queue a job for each name."""

import sys

import django

django.setup()

from tests.palace.queued import actors  # noqa: E402 - needs the apps

for name in sys.argv[2:]:
    getattr(actors, sys.argv[1]).send(name)
