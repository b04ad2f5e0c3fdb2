"""No URLs: workers serve no requests."""

urlpatterns: list[object] = []
