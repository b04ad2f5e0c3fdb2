"""Addresses of what clients of OpenAI use."""

from django.urls import path

from api.openai import chat_views, memory_views, response_views

app_name = "openai"
urlpatterns = [
    path("chat/completions", chat_views.chat_completions, name="chat_completions"),
    path("responses", response_views.responses, name="responses"),
    path("responses/<str:response_id>", response_views.response, name="response"),
    path("memory", memory_views.memories, name="memories"),
    path("memory/<path:memory_id>", memory_views.memory, name="memory"),
    path("models", chat_views.models, name="models"),
    path("models/<path:model_id>", chat_views.model, name="model"),
]
