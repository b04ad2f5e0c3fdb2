"""URLs of the MCP server and its protected resource metadata."""

from django.urls import path, re_path

from api.mcp import views

app_name = "mcp"
urlpatterns = [
    re_path(r"^mcp/?$", views.mcp, name="mcp"),
    path(".well-known/oauth-protected-resource/mcp", views.metadata, name="metadata"),
    path(".well-known/oauth-protected-resource", views.metadata),
]
