"""The front door."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


def home(request: HttpRequest) -> HttpResponse:
    """Send the person to the chat."""
    return redirect("chat:chat")
