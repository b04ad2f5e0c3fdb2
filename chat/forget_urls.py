"""Addresses of the wizard of forgetting. They stand beside those of memory, because that is where
people look for them; forgetting reaches into the chats too, which memory knows nothing of."""

from django.urls import path

from chat import forget_views

app_name = "forget"

RECEIPT = "<uuid:receipt_id>/"

urlpatterns = [
    path("", forget_views.wizard, name="wizard"),
    path("preview/", forget_views.preview, name="preview"),
    path(RECEIPT, forget_views.receipt, name="receipt"),
    path(f"{RECEIPT}undo/", forget_views.undo, name="undo"),
    path(f"{RECEIPT}erase/", forget_views.erase, name="erase"),
]
