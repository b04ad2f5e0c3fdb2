"""What a worker process imports: Django, the broker and all actors."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "palace.settings")
django.setup()

from django.utils.module_loading import autodiscover_modules  # noqa: E402 - needs the apps

autodiscover_modules("actors")
