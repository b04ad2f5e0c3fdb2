"""Addresses of what clients of OpenAI use."""

from django.urls import path

from api.openai import chat_views

app_name = "openai"
urlpatterns = [
    path("chat/completions", chat_views.chat_completions, name="chat_completions"),
    path("models", chat_views.models, name="models"),
    path("models/<path:model_id>", chat_views.model, name="model"),
]
