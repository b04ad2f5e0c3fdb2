"""The address at which a person closes their account. It stands beside those of the account;
closing reaches into chats and memory, which accounts know nothing of."""

from django.urls import path

from chat import closing_views

app_name = "closing"

urlpatterns = [path("", closing_views.close, name="close")]
