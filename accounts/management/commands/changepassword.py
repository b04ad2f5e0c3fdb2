"""`changepassword`: sets a user's password from the command line.

It also signs them out everywhere, revokes their tokens, disconnects their apps, and forgets wrong passwords.
Their passkeys and authenticator apps stay.
"""

from argparse import ArgumentParser
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, transaction
from django.utils import timezone

from accounts.adapters import lift_sign_in_lock
from accounts.hooks import SIGN_IN, record
from accounts.models import User
from accounts.sessions import end_sessions
from accounts.tokens import revoke_everything


class Command(changepassword.Command):
    """Asks for the password as Django's command does, and records the change in the owner's activity."""

    help = "Set a user's password, sign them out everywhere, revoke their tokens and disconnect their apps."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="EMAIL", type=str.lower, help="email address of the account")
        parser.set_defaults(database=DEFAULT_DB_ALIAS)

    def handle(self, *args: Any, **options: Any) -> str:
        try:
            changed = super().handle(*args, **options)
        except EOFError as error:
            raise CommandError(
                "There is no terminal at which to type the password; with Docker Compose, leave out `-T`."
            ) from error
        lift_sign_in_lock(options["username"])
        user_id, now = User.objects.get(email=options["username"]).id, timezone.now()
        with transaction.atomic():
            end_sessions(UserSession.objects.filter(user_id=user_id).values_list("session_key", flat=True))
            revoke_everything(user_id, now)
            record(user_id, SIGN_IN, now, change="password_set")
        return f"{changed}. They are signed out everywhere, and have no tokens or apps left. Passkeys stay."
