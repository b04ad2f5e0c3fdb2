"""Addresses of export and restore, below those of the chat."""

from django.urls import path

from chat import transfer_views as views

_TRANSFER = "export/<uuid:transfer_id>/"

urlpatterns = [
    path("export/", views.exports, name="exports"),
    path("export/chosen/", views.export_chosen, name="export_chosen"),
    path("export/restore/", views.restore, name="restore_export"),
    path(_TRANSFER, views.transfer, name="transfer"),
    path(f"{_TRANSFER}state/", views.transfer_state, name="transfer_state"),
    path(f"{_TRANSFER}file/", views.fetch_export, name="fetch_export"),
    path(f"{_TRANSFER}begin/", views.transfer_begin, name="transfer_begin"),
    path(f"{_TRANSFER}stop/", views.transfer_stop, name="transfer_stop"),
    path(f"{_TRANSFER}drop/", views.transfer_drop, name="transfer_drop"),
    path(f"{_TRANSFER}take-back/", views.transfer_take_back, name="transfer_take_back"),
]
