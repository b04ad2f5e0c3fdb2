"""Settings of the tests, with a separate database cluster that need not survive a power failure."""

import os

os.environ.setdefault("SECRET_KEY", "the key of the tests, which keeps nothing secret, is long enough")
for _name in (
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "CHAT_MODEL",
    "EXTRACTION_MODEL",
    "EMBEDDING_MODEL",
    "OTHER_EMBEDDING_MODELS",
    "MODEL_PRICES",
    "PALACE_DRAWER_QUOTA",
    "PALACE_MONTHLY_BUDGET",
    "PALACE_INDEX_FROM",
    "REDIS_URL",
):
    os.environ.pop(_name, None)

from palace.embedded.location import EmbeddedDatabase
from palace.settings import *  # noqa: F403 - settings are one namespace
from palace.settings import DATABASES, PALACE_HOME

if not os.environ.get("DATABASE_URL"):
    EMBEDDED_DATABASE = EmbeddedDatabase(PALACE_HOME / "postgres-test", durable=False)
    DATABASES["default"]["HOST"] = str(EMBEDDED_DATABASE.socket_folder)
    DRAMATIQ_BROKER["OPTIONS"]["url"]["host"] = DATABASES["default"]["HOST"]  # noqa: F405

DATABASES["default"]["ENGINE"] = "tests.engine"
QUEUE = "memory"  # tests of the real brokers start their own workers
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ANSWER_AFTER_S = 0
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = IDP_OIDC_RATE_LIMITS = False
