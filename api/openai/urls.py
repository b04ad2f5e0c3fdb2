"""URLs of the OpenAI-compatible endpoints."""

from django.urls import path, re_path

from api.openai import chat_completions, forgetting, responses

app_name = "openai"
urlpatterns = [
    path("chat/completions", chat_completions.chat_completions, name="chat_completions"),
    path("responses", responses.responses, name="responses"),
    re_path("^responses/(?P<response_id>resp_[^/]+)$", responses.response, name="response"),
    path("memory", forgetting.memories, name="memories"),
    path("memory/<path:memory_id>", forgetting.memory, name="memory"),
    path("models", chat_completions.models, name="models"),
    path("models/<path:model_id>", chat_completions.model, name="model"),
]
