"""Addresses of importing and of the demo palace, below those of the chat."""

from django.urls import path

from chat import import_views

urlpatterns = [
    path("import/", import_views.import_, name="import"),
    path("import/<uuid:run_id>/", import_views.import_run, name="import_run"),
    path("import/<uuid:run_id>/state/", import_views.import_state, name="import_state"),
    path("import/<uuid:run_id>/begin/", import_views.import_begin, name="import_begin"),
    path("import/<uuid:run_id>/cancel/", import_views.import_cancel, name="import_cancel"),
    path("demo/", import_views.demo, name="demo"),
    path("demo/remove/", import_views.demo_remove, name="demo_remove"),
]
