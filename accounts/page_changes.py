"""Finds what was changed on a page, so that a form does not overwrite changes from another window."""

from collections.abc import Iterable
from typing import Any

from django.forms import BaseForm


def add_initial_values(form: BaseForm, names: Iterable[str]) -> None:
    """Include the current values of these fields in the form's page."""
    for name in names:
        form.fields[name].show_hidden_initial = True


def changed_fields(form: BaseForm) -> dict[str, Any]:
    """The fields of a valid form that differ from what its page showed.

    Includes fields whose original value was not submitted.
    """
    changed = set(form.changed_data)
    unseen = {name for name in form.fields if form.add_initial_prefix(name) not in form.data}
    return {name: form.cleaned_data[name] for name in form.fields if name in changed | unseen}
