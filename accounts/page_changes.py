"""What somebody changed on a page, whatever was changed in another window since it was opened."""

from collections.abc import Iterable
from typing import Any

from django.forms import BaseForm


def carry_beginnings(form: BaseForm, names: Iterable[str]) -> None:
    """Let the page of the form carry what these fields said when it was made."""
    for name in names:
        form.fields[name].show_hidden_initial = True


def changes_on(form: BaseForm) -> dict[str, Any]:
    """What a valid form says otherwise than its page did, by field. A field whose beginning was
    not sent along is among it, whether it changed or not."""
    changed = set(form.changed_data)
    unseen = {name for name in form.fields if form.add_initial_prefix(name) not in form.data}
    return {name: form.cleaned_data[name] for name in form.fields if name in changed | unseen}
