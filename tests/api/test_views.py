import pytest
from django.test import Client

from tests.api.operations import operations
from tests.html import check_page

PAGE, FILE = "/api/docs", "/api/openapi.json"


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_api_description_needs_sign_in(client: Client, alice_client: Client, address: str) -> None:
    assert client.get(address).headers["Location"].startswith("/accounts/sign-in/")
    assert alice_client.get(address).status_code == 200
    assert alice_client.post(address).status_code == 405


def test_page_lists_every_operation(alice_client: Client) -> None:
    html = check_page(alice_client.get(PAGE))
    for each in operations():
        assert f'id="{each.id}"' in html
        assert f"{each.method} {each.path}" in html


def test_description_can_be_read_with_a_token(client: Client, alice_api: Client) -> None:
    found = alice_api.get(FILE).json()
    assert found["openapi"].startswith("3.1")
    assert "/api/v1/wings" in found["paths"]
    assert client.get(FILE, headers={"Authorization": "Bearer no"}).status_code == 401
