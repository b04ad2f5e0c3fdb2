"""`add_user`: creates an account from the command line."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from accounts.registration import EmailTaken, add_account
from accounts.tenancy import tenant
from accounts.tokens import issue_token

LABEL = "Created by add_user"


def _validated_email(given: str) -> str:
    address = given.strip().lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise CommandError(f"`{given}` is not an email address.") from error
    return address


def _prompt_for_password() -> str | None:
    """The password, typed twice at a terminal; None if it is left empty or there is no terminal."""
    if not sys.stdin.isatty():
        return None
    password = getpass.getpass("Password (leave empty for an account that cannot sign in): ")
    if password and getpass.getpass("Repeat password: ") != password:
        raise CommandError("The passwords do not match.")
    return password or None


class Command(BaseCommand):
    """Prints the id of the new account and, with --token, a token on the next line."""

    help = (
        "Create an account and print its id. With --token, also print an API token on the next line; it is "
        "never shown again. Without --password, you are asked for one at a terminal; otherwise the account "
        "has none and cannot sign in until `changepassword` sets one. The first account of a site is a "
        "superuser."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="email address to sign in with")
        parser.add_argument("--password", metavar="P", help="the password; its strength is not checked")
        parser.add_argument("--staff", action="store_true", help="make the user staff and a superuser")
        parser.add_argument("--token", action="store_true", help="create an API token")

    def handle(self, *args: Any, **options: Any) -> None:
        email = _validated_email(options["email"])
        password = options["password"]
        if password == "":
            raise CommandError("The password is empty.")
        password = password or _prompt_for_password()
        with transaction.atomic():
            try:
                user = add_account(email, password, is_staff=options["staff"])
            except EmailTaken as error:
                raise CommandError(f"{email} already has an account.") from error
            with tenant(user.id):
                token = issue_token(user.id, LABEL, timezone.now()) if options["token"] else None
        self.stdout.write(str(user.id))
        if token:
            self.stdout.write(token)
