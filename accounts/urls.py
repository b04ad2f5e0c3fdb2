"""Addresses of the account pages."""

from django.urls import path

from accounts import token_views, views

app_name = "accounts"

urlpatterns = [
    path("", views.account, name="account"),
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("sign-up/", views.sign_up, name="sign_up"),
    path("welcome/", views.welcome, name="welcome"),
    path("theme/", views.choose_theme, name="choose_theme"),
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/<uuid:token_id>/revoke/", token_views.revoke_token, name="revoke_token"),
    path("sessions/end-others/", views.end_other_sessions, name="end_other_sessions"),
    path("sessions/<str:session_id>/end/", views.end_session, name="end_session"),
    path("password/", views.change_password, name="change_password"),
    path("password/forgotten/", views.forgotten_password, name="forgotten_password"),
    path("password/sent/", views.link_sent, name="link_sent"),
    path("password/new/<str:uid>/<str:token>/", views.new_password, name="new_password"),
]
