"""The ASGI application."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "palace.settings")
site = get_asgi_application()

from palace.request_limits import BodyLimit  # noqa: E402 - imports models, which need Django to be set up

application = BodyLimit(site)
