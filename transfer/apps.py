"""The configuration of the `transfer` app."""

from django.apps import AppConfig


class TransferConfig(AppConfig):
    name = "transfer"
    verbose_name = "Import and export"
