"""Addresses of the REST API and of its description."""

from django.urls import path

from api import views
from api.rest.site import rest

app_name = "api"

urlpatterns = [
    path("docs", views.docs, name="docs"),
    path("openapi.json", views.openapi, name="openapi"),
    path("v1/", rest.urls),
]
