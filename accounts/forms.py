"""Forms of the account pages, and helpers that keep any form from undoing changes of another window."""

from collections.abc import Iterable
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.fields import PasswordField, SetPasswordField
from allauth.account.internal.flows.email_verification import verify_email
from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import SCOPES, User
from accounts.registration import unfinished_accounts
from accounts.tenancy import visitor
from accounts.tokens import revoke_everything


def add_initial_values(form: forms.BaseForm, names: Iterable[str]) -> None:
    """Render the initial values of these fields as hidden inputs."""
    for name in names:
        form.fields[name].show_hidden_initial = True


def changed_fields(form: forms.BaseForm) -> dict[str, Any]:
    """The fields of a valid form that differ from what its page showed.

    Includes fields whose original value was not submitted.
    """
    changed = set(form.changed_data)
    unseen = {name for name in form.fields if form.add_initial_prefix(name) not in form.data}
    return {name: form.cleaned_data[name] for name in form.fields if name in changed | unseen}


class LowercaseEmailField(forms.EmailField):
    """An email address, returned in lower case."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").lower()


REPEAT_PASSWORD = _("Repeat password")
PASSWORD_HELP = _(
    "At least 8 characters, not only digits, not a common password, and not similar to your name or email."
)


class SignUpForm(allauth_forms.SignupForm):  # type: ignore[misc]
    """A new account: name, email and, unless it gets a passkey, a password."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("What your assistants call you. Optional."),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name", "dir": "auto", "autofocus": True}),
    )
    field_order = ("name", "email", "password1", "password2")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "password1" in self.fields:
            self.fields["password1"].help_text = PASSWORD_HELP
            self.fields["password2"].label = REPEAT_PASSWORD

    def validate_unique_email(self, value: str) -> str:
        """Reject a taken address; an unfinished account with it is removed."""
        unfinished_accounts().filter(email=value).delete()
        return str(super().validate_unique_email(value))

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Create the user, or do the same amount of work if the address is taken."""
        if not ratelimit.consume(request, action="signup_on_site", key="site"):
            return None, ratelimit.respond_429(request)
        if self.account_already_exists:
            User().set_password(self.cleaned_data.get("password1"))
        user, response = super().try_save(request)
        return user, response


class ChangeEmailForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    """A new email address; without a mail server it takes effect at once."""

    def clean_email(self) -> str:
        """An address that nobody else has an account with."""
        with visitor():
            return str(super().clean_email())

    def save(self, request: HttpRequest) -> EmailAddress:
        if settings.EMAIL_HOST:
            return super().save(request)
        address = EmailAddress(user=self.user, email=self.cleaned_data["email"])
        verify_email(request, address)
        return address


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey, or a security key that only serves as a second step."""

    passwordless = forms.BooleanField(
        label=_("Sign in with it instead of a password"),
        help_text=_("Otherwise you use it as a second step after your password."),
        initial=True,
        required=False,
    )


class RevokeAccessMixin(forms.Form):
    """Lets a new password also revoke the access of programs."""

    password1 = SetPasswordField(label=_("New password"), help_text=PASSWORD_HELP)
    password2 = PasswordField(label=_("Repeat new password"), autocomplete="new-password")
    revoke = forms.BooleanField(
        label=_("Revoke all tokens and disconnect all apps"),
        help_text=_("Recommended if someone else may know your password."),
        initial=True,
        required=False,
    )

    def save(self) -> None:
        """Set the password and, if selected, revoke every token of the user."""
        super().save()  # type: ignore[misc]
        if self.cleaned_data["revoke"]:
            revoke_everything(self.user.pk, timezone.now())  # type: ignore[attr-defined]


class ChangePasswordForm(RevokeAccessMixin, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    """The current password, and a new one twice."""

    oldpassword = PasswordField(label=_("Current password"), autocomplete="current-password")


class ResetPasswordForm(RevokeAccessMixin, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password after following an emailed link."""


class SetPasswordForm(allauth_forms.SetPasswordForm):  # type: ignore[misc]
    """The first password of an account with a passkey."""

    password2 = PasswordField(label=REPEAT_PASSWORD, autocomplete="new-password")


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """The user's name and the language of their pages."""

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
        add_initial_values(self, ("name", "language"))
        languages = settings.LANGUAGES
        if len(languages) == 1:
            del self.fields["language"]
            return
        self.fields["language"].widget.choices = [("", _("Same as my browser")), *languages]

    def clean_language(self) -> str:
        """One of the site's languages, or empty."""
        chosen: str = self.cleaned_data["language"]
        if chosen and chosen not in dict(settings.LANGUAGES):
            raise forms.ValidationError(_("This site has no pages in that language."))
        return chosen

    def save_changes(self) -> None:
        """Save the fields changed on the page; other fields keep their stored values."""
        self.instance.save(update_fields=set(changed_fields(self)) & set(self.Meta.fields))


class TokenForm(forms.Form):
    """The name and scopes of a new API token."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Where you will use it, for example “Laptop” or “Home server”."),
        max_length=120,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("Permissions"),
        choices=tuple(SCOPES.items()),
        initial=list(SCOPES),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one permission.")},
    )
