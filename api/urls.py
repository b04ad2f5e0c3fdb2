"""Addresses of the REST API."""

from django.urls import path

from api.site import rest

urlpatterns = [
    path("v1/", rest.urls),
]
