"""Every URL of the site."""

from django.contrib import admin
from django.urls import include, path

from accounts.urls import sign_in_urls
from palace import health, views

urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("go/", views.go, name="go"),
    path("keys/", views.keys, name="keys"),
    path("sidebar/", views.sidebar, name="sidebar"),
    path("admin/health/", health.site_health, name="site_health"),
    path("admin/", admin.site.urls),
    path("accounts/close/", include("memory.pages.account_deletion")),
    path("accounts/webhooks/", include("api.webhooks.views")),
    path("accounts/", include("accounts.urls")),
    path("", include(sign_in_urls)),
    path("memory/forget/", include("memory.pages.forget")),
    path("memory/", include("memory.urls")),
    path("chat/", include("chat.urls")),
    path("api/", include("api.views")),
    path("v1/", include("api.openai.urls")),
    path("", include("api.mcp.views")),
]
handler500 = "palace.views.server_error"
