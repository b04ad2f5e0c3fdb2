"""No addresses: workers answer nobody."""

urlpatterns: list[object] = []
