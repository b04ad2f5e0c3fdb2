"""Errors of model calls.

No message contains a prompt, a reply or a host name: endpoints echo prompts in their error bodies, and these
messages are logged.
"""

from llm.types import Usage


class ModelError(Exception):
    """A model call failed.

    `permanent` means that retrying is pointless until somebody changes something. `spent` is what had to be
    paid anyway, None if unknown. `reason_given` is the endpoint's own message, for the client that sent the
    request and never for a log.
    """

    permanent = False
    spent: Usage | None = None
    reason_given = ""

    def __init__(self, message: str, *, permanent: bool | None = None) -> None:
        super().__init__(message)
        if permanent is not None:
            self.permanent = permanent


class NoEndpoint(ModelError):
    """No model endpoint is configured."""

    permanent = True

    def __init__(self) -> None:
        super().__init__("No model endpoint is configured: set OPENAI_BASE_URL or OPENAI_API_KEY.")


class ModelUnavailable(ModelError):
    """The endpoint could not be reached, failed, or broke off its response."""


class ModelTimeout(ModelError):
    """The endpoint did not respond in time, or stalled in the middle of a response."""


class ModelRateLimited(ModelError):
    """The endpoint asked to wait; `retry_after` is in seconds, None if it named none."""

    def __init__(
        self, message: str, *, retry_after: float | None = None, permanent: bool | None = None
    ) -> None:
        super().__init__(message, permanent=permanent)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The endpoint declined: wrong key, model name or request. `option` is the field at fault, if known."""

    permanent = True

    def __init__(self, message: str, *, status: int | None = None, option: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.option = option


class ModelReplyInvalid(ModelError):
    """The endpoint sent a response that cannot be parsed."""


class ModelReplyTooLong(ModelReplyInvalid):
    """The endpoint sent a reply over the size limit."""

    def __init__(self) -> None:
        super().__init__("The model endpoint sent a reply that is too long.")


class EmbedderUnavailable(ModelError):
    """Texts cannot be embedded now; `reason` is a sentence for users."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason, permanent=permanent)
        self.reason = reason
