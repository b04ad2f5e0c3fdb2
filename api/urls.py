"""URLs of the REST API and its reference."""

from django.urls import path

from api import views
from api.rest.site import rest

app_name = "api"

urlpatterns = [
    path("docs", views.docs, name="docs"),
    path("openapi.json", views.openapi, name="openapi"),
    path("v1/", rest.urls),
]
