from accounts.models import User
from accounts.sessions import Session, SessionStore


def test_a_session_that_is_saved_again_keeps_its_start(alice: User) -> None:
    store = SessionStore()
    store["_auth_user_id"] = str(alice.id)
    store.create()
    assert store.session_key
    begun = Session.objects.get(session_key=store.session_key).started_at
    later = SessionStore(session_key=store.session_key)
    later["seen"] = "chat"
    later.save()
    assert Session.objects.get(session_key=store.session_key).started_at == begun
