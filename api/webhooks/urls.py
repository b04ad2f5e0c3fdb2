"""URLs of the webhook pages."""

from django.urls import path

from api.webhooks import views

app_name = "webhooks"

urlpatterns = [
    path("", views.webhooks, name="webhooks"),
    path("<uuid:webhook_id>/", views.webhook, name="webhook"),
    path("<uuid:webhook_id>/try/", views.try_webhook, name="try_webhook"),
    path("<uuid:webhook_id>/resume/", views.resume_webhook, name="resume_webhook"),
    path("<uuid:webhook_id>/remove/", views.remove_webhook, name="remove_webhook"),
]
