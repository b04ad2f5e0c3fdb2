"""The demo account of a user: a separate account that only their own session can show.

Nobody can sign in to a demo account. The session of its owner carries a mark while it shows the demo, so that
signing out, a changed password or an ended session apply to both.
"""

from datetime import datetime
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.http import HttpRequest

from accounts.models import User
from accounts.tenancy import visitor

SHOWS_DEMO = "shows_demo"
DOMAIN = "demo.invalid"


def demo_of(owner: User) -> User | None:
    """The demo account of a user, if there is one."""
    with visitor():
        return User.objects.filter(demo_of_id=owner.id).first()


def create_demo(owner: User, name: str, now: datetime) -> tuple[User, bool]:
    """The demo account of a user, and whether it is new."""
    found = demo_of(owner)
    if found is not None:
        return found, False
    address = f"demo-{uuid4().hex}@{DOMAIN}"
    about = {"name": name, "demo_of_id": owner.id, "agreed_at": now, "language": owner.language}
    try:
        with visitor(), transaction.atomic():
            return User.objects.create_user(address, None, **about), True
    except IntegrityError:  # another request was quicker
        with visitor():
            return User.objects.get(demo_of_id=owner.id), False


def owner_of(user: User) -> User:
    """The owner of a demo account; any other user is returned as is."""
    with visitor():
        return User.objects.get(id=user.demo_of_id or user.id)


def user_shown(request: HttpRequest, user: User) -> User:
    """The demo account while the session shows it, otherwise the user who signed in."""
    if not request.session.get(SHOWS_DEMO):
        return user
    demo = demo_of(user)
    if demo is None:
        del request.session[SHOWS_DEMO]
    return demo or user
