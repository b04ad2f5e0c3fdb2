"""URLs of the account pages."""

from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("", views.account, name="account"),
    path("welcome/", views.welcome, name="welcome"),
    path("theme/", views.choose_theme, name="choose_theme"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:token_id>/revoke/", views.revoke_token, name="revoke_token"),
    path("apps/<str:client_id>/disconnect/", views.disconnect, name="disconnect"),
    path("sessions/<int:session_id>/end/", views.end_session, name="end_session"),
]
