"""Forms of the account pages."""

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.fields import PasswordField, SetPasswordField
from allauth.account.internal.flows.email_verification import verify_email
from allauth.account.models import EmailAddress
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import SCOPES, User
from accounts.page_changes import carry_beginnings, changes_on
from accounts.registration import unfinished
from accounts.tenancy import visitor
from accounts.tokens import revoke_everything


class AddressField(forms.EmailField):
    """An email address, returned in lower case."""

    def to_python(self, value: Any) -> str:
        """The address in lower case, without surrounding space."""
        return (super().to_python(value) or "").lower()


class SignUpForm(allauth_forms.SignupForm):  # type: ignore[misc]
    """A new account: name, email and, unless it gets a passkey, a password."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("What your assistants call you. You can leave it empty."),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name", "dir": "auto", "autofocus": True}),
    )
    field_order = ("name", "email", "password1", "password2")

    def validate_unique_email(self, value: str) -> str:
        """Refuse an address that has an account; one that was never finished makes room."""
        unfinished().filter(email=value).delete()
        return str(super().validate_unique_email(value))

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The new user, or the answer for a taken address, which takes equally long."""
        if self.account_already_exists:
            User().set_password(self.cleaned_data.get("password1"))
        user, response = super().try_save(request)
        return user, response


class ChangeEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """Another email address; it counts at once on a server that cannot send a code to it."""

    def clean_email(self) -> str:
        """An address that nobody else has an account with."""
        with visitor():
            return str(super().clean_email())

    def save(self, request: HttpRequest) -> EmailAddress:
        """The new address; without a mail server it replaces the old one."""
        if settings.EMAIL_HOST:
            return super().save(request)
        address = EmailAddress(user=self.user, email=self.cleaned_data["email"])
        verify_email(request, address)
        return address


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey, or a security key that is only a second step."""

    passwordless = forms.BooleanField(
        label=_("Sign in with it instead of the password"),
        help_text=_("Otherwise it is asked for after the password."),
        initial=True,
        required=False,
    )


class RevokingMixin(forms.Form):
    """Lets a new password also end what programs could do with the old one."""

    password1 = SetPasswordField(label=_("New password"))
    password2 = PasswordField(label=_("New password (again)"), autocomplete="new-password")
    revoke = forms.BooleanField(
        label=_("Revoke all tokens and disconnect all apps"),
        help_text=_("Recommended if somebody else may know your password."),
        initial=True,
        required=False,
    )

    def save(self) -> None:
        """Set the password and, unless unticked, revoke every token of the user."""
        super().save()  # type: ignore[misc]
        if self.cleaned_data["revoke"]:
            revoke_everything(self.user.pk, timezone.now())  # type: ignore[attr-defined]


class ChangePasswordForm(RevokingMixin, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    """The current password, and another twice."""

    oldpassword = PasswordField(label=_("Current password"), autocomplete="current-password")


class ResetPasswordForm(RevokingMixin, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password after following a mailed link."""


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """What the person is called, and the language of their pages."""

    class Meta:
        model = User
        fields = ("name", "language")
        labels = {"name": _("Name"), "language": _("Language of the pages")}
        widgets = {
            "name": forms.TextInput(attrs={"autocomplete": "name", "dir": "auto"}),
            "language": forms.Select,
        }
        help_texts = {"language": _("Texts without a translation are shown in English.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        carry_beginnings(self, ("name", "language"))
        languages = settings.LANGUAGES
        if len(languages) == 1:
            del self.fields["language"]
            return
        self.fields["language"].widget.choices = [("", _("Same as my browser")), *languages]

    def clean_language(self) -> str:
        """One of the site's languages, or none."""
        chosen: str = self.cleaned_data["language"]
        if chosen and chosen not in dict(settings.LANGUAGES):
            raise forms.ValidationError(_("This site has no pages in that language."))
        return chosen

    def keep_changes(self) -> None:
        """Save what was changed on the page and leave the other fields as they are by now."""
        self.instance.save(update_fields=set(changes_on(self)) & set(self.Meta.fields))


class TokenForm(forms.Form):
    """What a new API token is called and may be used for."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Where you will use it, such as “Laptop” or “Home server”."),
        max_length=120,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=tuple(SCOPES.items()),
        initial=list(SCOPES),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one permission.")},
    )
