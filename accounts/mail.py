"""Email, sent in the background, so that the time of an answer does not tell who gets a letter."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPException

import structlog
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp

log = structlog.get_logger(__name__)
_senders = ThreadPoolExecutor(2, "mail")


class EmailBackend(smtp.EmailBackend):
    """SMTP on another thread. A process that stops sends what is waiting first."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Queue the letters; their number."""
        _senders.submit(self._send_now, email_messages)
        return len(email_messages)

    def _send_now(self, letters: Sequence[EmailMessage]) -> None:
        try:
            super().send_messages(letters)
        except (OSError, SMTPException) as error:
            log.warning("an email was not sent", reason=type(error).__name__)
