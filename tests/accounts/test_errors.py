import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client
from django.urls import path

from accounts.models import User
from tests.html import check_page, problems_of_page


def fail(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(request.GET["words"])


def deny(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied(request.GET["words"])


def suspect(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation(request.GET["words"])


urlpatterns = [path("fail/", fail), path("deny/", deny), path("suspect/", suspect)]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("address", "status"), [("/fail/", 500), ("/deny/", 403), ("/suspect/", 400), ("/no/", 404)]
)
def test_every_error_is_a_page_in_words(alice: User, address: str, status: int) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    html = check_page(client.get(address, {"words": "secret"}), status)
    assert "secret" not in html
    assert "Traceback" not in html


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_need_neither_database_nor_context(name: str) -> None:
    html = render_to_string(f"{name}.html")
    assert problems_of_page(html) == []
    assert "base.css" in html
