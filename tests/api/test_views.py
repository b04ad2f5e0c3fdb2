import pytest
from django.test import Client

from tests.api.operations import operations
from tests.html import check_page

PAGE, FILE = "/api/docs", "/api/openapi.json"


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_the_description_is_for_those_who_are_signed_in(
    client: Client, alice_client: Client, address: str
) -> None:
    assert client.get(address).headers["Location"].startswith("/accounts/sign-in/")
    assert alice_client.get(address).status_code == 200
    assert alice_client.post(address).status_code == 405


def test_the_page_tells_every_operation(alice_client: Client) -> None:
    html = check_page(alice_client.get(PAGE))
    for each in operations():
        assert f'id="{each.id}"' in html
        assert f"{each.method} {each.path}" in html


def test_programs_read_it_with_a_token(client: Client, alices: Client) -> None:
    found = alices.get(FILE).json()
    assert found["openapi"].startswith("3.1")
    assert "/api/v1/wings" in found["paths"]
    assert client.get(FILE, headers={"Authorization": "Bearer no"}).status_code == 401
