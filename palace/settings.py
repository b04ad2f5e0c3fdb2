"""Django settings, read from the environment variables that `docs/configuration.md` lists."""

from pathlib import Path
from typing import Any, cast, get_args

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from palace.embedded.location import APPLICATION, EmbeddedDatabase
from palace.environment import Environment
from palace.logging import LogMode, configure_logging

BASE_DIR = Path(__file__).resolve().parent.parent
ENV = Environment()

PALACE_HOME = ENV.home(BASE_DIR)
SECRET_KEY = ENV.secret_key(PALACE_HOME)
DEBUG = False
HTTPS = ENV.switch("PALACE_HTTPS", default=False)
SIGN_UP = ENV.switch("PALACE_SIGN_UP", default=True)
ALLOWED_HOSTS = ENV.hosts("PALACE_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = ENV.origins("PALACE_ORIGINS")
REDIS_URL = ENV.redis()
QUEUE = "redis" if REDIS_URL else "database"
PORT = ENV.number("PORT", 8000, low=1, high=65_535)
BIND = ENV.address("PALACE_BIND", "127.0.0.1")
TRUSTED_PROXIES = ENV.networks("FORWARDED_ALLOW_IPS")
if HTTPS and not TRUSTED_PROXIES:
    raise ImproperlyConfigured(
        "PALACE_HTTPS needs FORWARDED_ALLOW_IPS, the address of your HTTPS proxy such as 127.0.0.1, because "
        "only a trusted proxy may state that a visitor uses HTTPS."
    )
WORKER_THREADS = ENV.number("PALACE_WORKER_THREADS", 4, low=1, high=64)
METRICS_TOKEN = ENV.token("METRICS_TOKEN")
MONTHLY_BUDGET = ENV.money("PALACE_MONTHLY_BUDGET")
INDEX_FROM_VECTORS = ENV.number("PALACE_INDEX_FROM", 100_000, low=100, high=100_000_000)
DRAWER_QUOTA = ENV.number("PALACE_DRAWER_QUOTA", 0, low=0, high=100_000_000) or None
API_RATE = ENV.number("PALACE_API_RATE", 600, low=1, high=1_000_000)
REPLIES_AT_ONCE = ENV.number("PALACE_REPLIES_AT_ONCE", 8, low=1, high=10_000)
WEBHOOKS_PRIVATE = ENV.switch("PALACE_WEBHOOKS_PRIVATE", default=False)
UPLOAD_LIMIT_MB = ENV.number("PALACE_UPLOAD_LIMIT_MB", 2048, low=1, high=100_000)
MIN_FREE_MB = ENV.number("PALACE_MIN_FREE_MB", 1024, low=0, high=1_000_000)

EMBEDDED_DATABASE: EmbeddedDatabase | None = None
_given_database = ENV.database("DATABASE_URL")
MIGRATION_LOGIN = ENV.owner("PALACE_MIGRATION_DATABASE_URL", "DATABASE_URL")
if _given_database is None:
    EMBEDDED_DATABASE = EmbeddedDatabase(PALACE_HOME / "postgres")
    _given_database = {
        "NAME": EMBEDDED_DATABASE.name,
        "USER": APPLICATION,
        "HOST": str(EMBEDDED_DATABASE.socket_folder),
    }
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "palace.postgres",
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        **_given_database,
    }
}

INSTALLED_APPS = [
    *(["dramatiq_postgres.django"] if QUEUE == "database" else []),
    "jobs",  # after the database queue, whose broker it may replace
    "palace",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.idp.oidc",
    "accounts",
    "memory",
    "chat",
    "transfer",
    "api",
    "accounts.apps.RestrictedAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "csp",
    "django_htmx",
    "template_partials",
]

ACTIVITY_NAMES = "transfer.choosing.names_of"
WAITING_MESSAGES = "chat.mining.status.backlog"
UNFILED_MESSAGES = "chat.mining.status.unfiled_messages"
FORGETTING_HOLDERS = (
    "chat.forgetting.ChatHolder",
    "transfer.forgetting.TransferHolder",
)
ACCOUNT_EVENTS = "memory.changes.activity.record"
CHAT_UNDO = "chat.edits.undo"

MIDDLEWARE = [
    "palace.middleware.request_id",
    "api.error_format.middleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "palace.middleware.freshness",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "palace.middleware.tenancy",
    "palace.middleware.language",
    "palace.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "palace.middleware.ClosedViews",
    "allauth.account.middleware.AccountMiddleware",
    "palace.middleware.visible_text",
]

ROOT_URLCONF = "palace.urls"
ASGI_APPLICATION = "palace.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memory.pages.requests.waiting",
                "palace.navigation.frame",
            ],
        },
    },
]

CACHES: dict[str, dict[str, Any]] = {
    # Of sign-ins: in the database even if there is a Redis, so that its outage locks nobody out.
    "default": {"BACKEND": "accounts.shared_cache.SharedCache"},
    # Of requests with a token: asynchronous code counts them too, and there are many.
    "requests": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}
if REDIS_URL:
    CACHES["requests"] = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "accounts.forms.SignUpForm",
    "add_email": "accounts.forms.ChangeEmailForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordForm",
    "set_password": "accounts.forms.SetPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_REDIRECT_URL = "memory:consent"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "/accounts/"
# Required for passkey sign-up. Without a mail server `AccountAdapter` takes addresses as confirmed.
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_RATE_LIMITS = {  # `ip` is an IPv4 address or an IPv6 /64; `key` an account, or the whole site
    "login": "30/m/ip",
    "login_failed": "5/5m/key,20/h/key",
    "login_failed_in_network": "10/m/ip,30/h/ip",
    "login_failed_in_known_browser": "5/5m/key,20/h/key",
    "signup": "10/m/ip,20/h/ip",
    "signup_on_site": "100/h/key",
    "reset_password": "5/m/ip,20/h/ip,3/m/key,5/h/key",
    "reset_password_from_key": "10/m/ip",
}
MFA_ADAPTER = "accounts.adapters.MfaAdapter"
MFA_FORMS = {"add_webauthn": "accounts.forms.AddPasskeyForm"}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_PASSKEY_SIGNUP_ENABLED = True
MFA_TOTP_ISSUER = "Palace"
MFA_TOTP_TOLERANCE = 1
IDP_OIDC_ADAPTER = "accounts.oauth.OidcAdapter"
IDP_OIDC_DCR_ENABLED = True
IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN = False
IDP_OIDC_RATE_LIMITS = {  # django-allauth does not count refused registrations
    "client_registration": "",
    "client_registration_attempt": "3/m/ip",
}
IDP_OIDC_PRIVATE_KEY = ENV.rsa_key("OIDC_PRIVATE_KEY")
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = 60 * 60 * 24 * 90

SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
# HSTS covers this host alone (W005, W021), and PALACE_HTTPS turns on the others together (palace.W002).
SILENCED_SYSTEM_CHECKS = [f"security.W{number}" for number in ("004", "005", "008", "012", "016", "021")]
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}

STATIC_URL = "static/"
STATIC_ROOT = PALACE_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = PALACE_HOME / "uploads"
REQUEST_LIMIT_MB = 16  # for everything but uploads
REGISTRATION_LIMIT_KB = 16  # of an app, which anybody may register
UPLOAD_PAGES = frozenset(  # whole paths; a trailing slash is optional
    {"/chat/import", "/chat/export/restore", "/api/v1/imports", "/api/v1/restores"}
)
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

EMAIL_HOST = ENV.text("EMAIL_HOST")
EMAIL_USE_SSL = ENV.switch("EMAIL_USE_SSL", default=False)
EMAIL_PORT = ENV.number("EMAIL_PORT", 465 if EMAIL_USE_SSL else 587, low=1, high=65_535)
EMAIL_HOST_USER = ENV.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = ENV.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = ENV.switch("EMAIL_USE_TLS", default=not EMAIL_USE_SSL)
if EMAIL_USE_SSL and EMAIL_USE_TLS:
    raise ImproperlyConfigured(
        "EMAIL_USE_SSL and EMAIL_USE_TLS exclude each other: set one of them to `off`."
    )
DEFAULT_FROM_EMAIL = ENV.sender("EMAIL_FROM", "palace@localhost")
EMAIL_TIMEOUT = 15
EMAIL_BACKEND = f"{'accounts.adapters' if EMAIL_HOST else 'django.core.mail.backends.dummy'}.EmailBackend"
ACCOUNT_EMAIL_NOTIFICATIONS = bool(EMAIL_HOST)
ACCOUNT_PREVENT_ENUMERATION = bool(EMAIL_HOST)  # only by email can a sign-up look the same either way
ANSWER_AFTER_S = 1.0  # sign-ups and password resets then, whether there is such an account or not

LANGUAGES = ENV.languages("PALACE_LANGUAGES", "en-gb")
LANGUAGE_CODE = LANGUAGES[0][0]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SWEEP_SECONDS = ENV.number("PALACE_SWEEP_SECONDS", 10, low=1, high=3600)
HEARTBEAT_TTL_S = 20
WORKER_STALLED_AFTER_S = 30
BACKGROUND_TIMEOUT_S = ENV.number("PALACE_BACKGROUND_TIMEOUT", 300, low=10, high=3600)
RECALL_PATIENCE = ENV.number("PALACE_RECALL_PATIENCE", 1, low=1, high=20)
DRAMATIQ_BROKER: dict[str, Any] = {
    "OPTIONS": {
        "url": {
            "dbname": _given_database["NAME"],
            "user": _given_database.get("USER", ""),
            "password": _given_database.get("PASSWORD", ""),
            "host": _given_database.get("HOST", ""),
            **({"port": _given_database["PORT"]} if _given_database.get("PORT") else {}),
            **_given_database.get("OPTIONS", {}),
        },
        "results": False,
        "heartbeat_interval": HEARTBEAT_TTL_S / 4,
        "heartbeat_ttl": HEARTBEAT_TTL_S,
        "maintenance_interval": HEARTBEAT_TTL_S / 2,
    },
    "MIDDLEWARE": [
        "jobs.broker.JobContext",
        "dramatiq.middleware.TimeLimit",
        "dramatiq.middleware.ShutdownNotifications",
        "jobs.broker.DeadLetters",
        "jobs.broker.Turns",
    ],
}

LOGGING_CONFIG = None
LOGGING = configure_logging(cast(LogMode, ENV.choice("PALACE_LOGS", get_args(LogMode))))
