"""The address of the MCP server, with and without a slash at its end."""

from django.urls import re_path

from api.mcp import views

app_name = "mcp"
urlpatterns = [re_path(r"^mcp/?$", views.mcp, name="mcp")]
