"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from palace import frame_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("go/", frame_views.go, name="go"),
    path("keys/", frame_views.keys, name="keys"),
    path("admin/", admin.site.urls),
    path("accounts/close/", include("chat.closing_urls")),
    path("accounts/webhooks/", include("api.webhook_urls")),
    path("accounts/", include("accounts.urls")),
    path("memory/forget/", include("chat.forget_urls")),
    path("memory/", include("memory.urls")),
    path("chat/", include("chat.urls")),
    path("api/", include("api.urls")),
    path("v1/", include("api.openai.urls")),
    path("", include("api.mcp.urls")),
]
