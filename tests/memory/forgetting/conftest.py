"""A folder for uploads, as in the tests of chats."""

from tests.chat.conftest import uploads  # noqa: F401 - a fixture
