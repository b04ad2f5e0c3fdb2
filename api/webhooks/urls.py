"""URLs of the webhook pages."""

from django.urls import path

from api.webhooks import views

app_name = "webhooks"

urlpatterns = [
    path("", views.webhooks, name="webhooks"),
    path("<uuid:webhook_id>/", views.webhook, name="webhook"),
    path("<uuid:webhook_id>/try/", views.try_webhook, name="try_webhook"),
    path("<uuid:webhook_id>/pause/", views.pause_webhook, name="pause_webhook"),
    path("<uuid:webhook_id>/renew/", views.renew_webhook, name="renew_webhook"),
    path("<uuid:webhook_id>/remove/", views.remove_webhook, name="remove_webhook"),
]
