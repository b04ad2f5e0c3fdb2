"""What can go wrong on the way to a model.

No message carries a prompt, a reply or a host name: endpoints echo prompts in their error bodies, and
these messages are logged.
"""

from llm.types import Usage


class ModelError(Exception):
    """A model could not do what was asked.

    `permanent` means that retrying cannot help until somebody changes something. `spent` is what had to
    be paid all the same, None if nothing is known.
    """

    permanent = False
    spent: Usage | None = None

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
    """The endpoint could not be reached, failed, or broke off its answer."""


class ModelTimeout(ModelError):
    """The endpoint did not answer in time, or stalled in the middle of an answer."""


class ModelRateLimited(ModelError):
    """The endpoint asks to wait; `retry_after` is in seconds, None if it did not say."""

    def __init__(
        self, message: str, *, retry_after: float | None = None, permanent: bool | None = None
    ) -> None:
        super().__init__(message, permanent=permanent)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The endpoint declined: wrong key, model name or request. `option` is the request option at fault."""

    permanent = True

    def __init__(self, message: str, *, status: int | None = None, option: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.option = option


class ModelReplyInvalid(ModelError):
    """The endpoint sent an answer that cannot be read."""


class EmbedderUnavailable(ModelError):
    """Texts cannot be embedded now; `reason` is a sentence for users."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason, permanent=permanent)
        self.reason = reason
