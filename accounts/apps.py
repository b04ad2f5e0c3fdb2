"""The configurations of the `accounts` app and of the admin."""

from django.apps import AppConfig
from django.contrib.admin import apps as django_admin


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"
    default = True


class RestrictedAdminConfig(django_admin.AdminConfig):
    default_site = "accounts.admin_site.RestrictedAdminSite"
    default = False
