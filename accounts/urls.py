"""URLs of the account pages, and of the sign-in pages under the names that django-allauth uses."""

from allauth.account import views as allauth_views
from allauth.idp.oidc import views as idp_views
from django.urls import include, path, re_path
from django.views.defaults import page_not_found

from accounts import oauth, views

app_name = "accounts"

urlpatterns = [
    path("", views.account, name="account"),
    path("welcome/", views.welcome, name="welcome"),
    path("look/", views.choose_look, name="choose_look"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:token_id>/revoke/", views.revoke_token, name="revoke_token"),
    path("apps/<str:client_id>/disconnect/", views.disconnect, name="disconnect"),
    path("sessions/<int:session_id>/end/", views.end_session, name="end_session"),
]

sign_in_urls = [
    path("accounts/sign-in/", views.sign_in, name="account_login"),
    path("accounts/sign-in/code/", allauth_views.confirm_login_code, name="account_confirm_login_code"),
    path("accounts/sign-out/", allauth_views.logout, name="account_logout"),
    path("accounts/sign-up/", views.sign_up, name="account_signup"),
    path("accounts/sign-up/passkey/", views.sign_up_by_passkey, name="account_signup_by_passkey"),
    path("accounts/switched-off/", allauth_views.account_inactive, name="account_inactive"),
    path("accounts/confirm/", allauth_views.reauthenticate, name="account_reauthenticate"),
    path("accounts/email/", allauth_views.email, name="account_email"),
    path(
        "accounts/email/code/", allauth_views.email_verification_sent, name="account_email_verification_sent"
    ),
    path("accounts/password/", allauth_views.password_change, name="account_change_password"),
    path("accounts/password/set/", allauth_views.password_set, name="account_set_password"),
    path("accounts/password/forgotten/", views.reset_password, name="account_reset_password"),
    path("accounts/password/sent/", allauth_views.password_reset_done, name="account_reset_password_done"),
    path(
        "accounts/password/new/done/",
        allauth_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^accounts/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.reset_password_by_link,
        name="account_reset_password_from_key",
    ),
    path("accounts/sessions/", views.sessions, name="usersessions_list"),
    path("accounts/security/", include("allauth.mfa.urls")),
    path("identity/o/authorize", oauth.authorize, name="authorize_app"),
    path("identity/o/api/clients", oauth.register, name="register_app"),
    path("identity/o/api/revoke", oauth.revoke),
    path("identity/o/device", page_not_found, {"exception": None}),  # apps must use a redirect
    path("identity/o/api/device/code", page_not_found, {"exception": None}),
    path(".well-known/oauth-authorization-server", idp_views.configuration),
    path(".well-known/openid-configuration", oauth.openid_configuration),
    path("token", idp_views.token),  # where the official MCP client refreshes a token after a restart
    path("", include("allauth.idp.urls")),
]
