"""Forms of the account pages."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, BaseUserCreationForm
from django.utils.translation import gettext_lazy as _

from accounts.models import SCOPES, User
from accounts.page_changes import carry_beginnings, changes_on


class AddressField(forms.EmailField):
    """An e-mail address in the one form in which it is kept: small letters."""

    default_error_messages = {"unique": _("Somebody has an account with this address.")}

    def to_python(self, value: Any) -> str:
        """The address without space around it, in small letters."""
        return (super().to_python(value) or "").lower()


class NewAddressForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form in which somebody gives the address they sign in with."""

    def clean_email(self) -> str:
        """Refuses an address that is taken. Said here, it is said once, and not by the database."""
        email: str = self.cleaned_data["email"]
        if User.objects.exclude(pk=self.instance.pk).filter(email__iexact=email).exists():
            raise forms.ValidationError(self.fields["email"].error_messages["unique"])
        return email


class SignInForm(AuthenticationForm):
    """Address and password. The address is normalised first, so that the throttle counts every
    way of writing it as one."""

    username = AddressField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    error_messages = {
        "invalid_login": _("No account has this e-mail and password."),
        "inactive": _("This account is switched off. Ask the person who runs this server."),
    }


class StaffSignInForm(AdminAuthenticationForm):
    """The same, at the door of the administration."""

    username = AddressField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )


class SignUpForm(NewAddressForm, BaseUserCreationForm):  # type: ignore[type-arg]
    """A new account: name, address, password twice."""

    email = AddressField(
        label=_("E-mail"),
        help_text=_("You sign in with it. Nothing is sent to it unless you ask."),
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )

    class Meta:
        model = User
        fields = ("name", "email")
        labels = {"name": _("Name")}
        help_texts = {"name": _("What your assistants call you. You may leave it empty.")}
        widgets = {
            "name": forms.TextInput(
                attrs={"autocomplete": "name", "dir": "auto", "autofocus": True}
            )
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["email"].widget.attrs["autofocus"]


class ProfileForm(NewAddressForm):
    """Name and address; a new address asks for the password, because it can reset it."""

    email = AddressField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Your password"),
        help_text=_("Only needed for a new e-mail address."),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    class Meta:
        model = User
        fields = ("name", "email", "language")
        labels = {"name": _("Name"), "language": _("Language of the pages")}
        widgets = {
            "name": forms.TextInput(attrs={"autocomplete": "name", "dir": "auto"}),
            "language": forms.Select,
        }
        help_texts = {"language": _("What is not translated yet is shown in English.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Not the address: whether it changes, which takes the password, is no page's to say.
        carry_beginnings(self, ("name", "language"))
        languages = settings.LANGUAGES
        if len(languages) == 1:
            del self.fields["language"]
            return
        self.fields["language"].widget.choices = [("", _("Like my browser")), *languages]

    def clean_language(self) -> str:
        """A language that the site has, or none of one's own."""
        chosen: str = self.cleaned_data["language"]
        if chosen and chosen not in dict(settings.LANGUAGES):
            raise forms.ValidationError(_("The site does not speak that language."))
        return chosen

    def clean(self) -> dict[str, Any]:
        """Refuses a new address without the right password."""
        cleaned = super().clean() or self.cleaned_data
        right = self.instance.check_password(cleaned.get("password", ""))
        if "email" in self.changed_data and not right:
            self.add_error("password", _("A new e-mail address needs your password."))
        return cleaned

    def keep_changes(self) -> None:
        """Save what was changed on its page; the other fields stay as they are by now."""
        self.instance.save(update_fields=set(changes_on(self)) & set(self.Meta.fields))


class TokenForm(forms.Form):
    """What a new API token is called and may be used for."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Where it will be used, such as “Laptop” or “Home server”."),
        max_length=120,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=(
            ("read", _("Read what is remembered, and recall it")),
            ("write", _("Write notes, change, review and forget")),
            ("chat", _("Chat, and keep chats")),
        ),
        initial=list(SCOPES),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one thing that it may do.")},
    )
