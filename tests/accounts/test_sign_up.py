import pytest
from django.test import Client

from accounts.models import User
from tests.html import check_page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.accounts.urls")]
ADDRESS = "/accounts/sign-up/"


def test_smoke(client: Client) -> None:
    check_page(client.get(ADDRESS))
