"""Removes the lists of the database queue from the admin: they show the arguments of jobs.

Failed jobs are on the page *Site health* (`palace/health.py`), whichever broker holds them.
"""

from django.apps import apps
from django.contrib import admin

if apps.is_installed("dramatiq_postgres.django"):
    for model in apps.get_app_config("dramatiq_postgres").get_models():
        admin.site.unregister(model)
