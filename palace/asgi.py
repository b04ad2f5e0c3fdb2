"""The ASGI application."""

import os

from django.core.asgi import get_asgi_application

from palace.request_limits import BodyLimit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "palace.settings")
application = BodyLimit(get_asgi_application())
