"""`sendtestemail`: checks the mail server by sending an email."""

from argparse import ArgumentParser
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Waits for the mail server, unlike the site, which sends email in the background."""

    help = "Send a test email, and say whether the mail server has accepted it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", nargs="+", help="address to send it to")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMAIL_HOST:
            raise CommandError("Set EMAIL_HOST first: without it, Palace sends no email.")
        server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        connection = get_connection("django.core.mail.backends.smtp.EmailBackend")
        words = "This is the test email you asked for. Palace can send email."
        try:
            EmailMessage("Test email", words, to=options["email"], connection=connection).send()
        except (OSError, SMTPException) as error:
            raise CommandError(f"{server} did not accept the email: {error}") from error
        self.stdout.write(f"{server} accepted the email from {settings.DEFAULT_FROM_EMAIL}.")
