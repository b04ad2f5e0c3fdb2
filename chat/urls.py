"""URLs of the chat."""

from django.urls import include, path

from chat.pages import agents, chat, memory, models, replies

app_name = "chat"

CHAT = "<uuid:conversation_id>"
SOURCE = f"{CHAT}/recalls/<uuid:trace_id>/drawers/<uuid:drawer_id>"

urlpatterns = [
    path("", include("transfer.import_pages")),
    path("", include("transfer.export_pages")),
    path("", include("transfer.demo")),
    path("", chat.chat, name="chat"),
    path("new/", chat.new, name="new"),
    path("deleted/", chat.deleted, name="deleted"),
    path("waiting/", memory.waiting, name="waiting"),
    path("recalls/", memory.recalls, name="recalls"),
    path("recalls/<uuid:trace_id>/", memory.reply_of, name="reply_of"),
    path("recalls/<uuid:trace_id>/trace/", memory.recall, name="recall"),
    path(f"{CHAT}/", chat.conversation, name="conversation"),
    path(f"{CHAT}/messages/", chat.send, name="send"),
    path(f"{CHAT}/messages/<int:sequence>/", chat.message, name="message"),
    path(f"{CHAT}/messages/<int:sequence>/trace/", memory.trace, name="trace"),
    path(f"{CHAT}/messages/<int:sequence>/edit/", chat.edit, name="edit"),
    path(f"{CHAT}/messages/<int:sequence>/show/", chat.show, name="show"),
    path(f"{CHAT}/replies/<int:sequence>/stream", replies.stream, name="stream"),
    path(f"{CHAT}/replies/<int:sequence>/stop", replies.stop, name="stop"),
    path(f"{CHAT}/replies/<int:sequence>/retry", replies.retry, name="retry"),
    path(f"{CHAT}/pin/", chat.pin, name="pin"),
    path(f"{CHAT}/title/", chat.title, name="title"),
    path(f"{CHAT}/rename/", chat.rename, name="rename"),
    path(f"{CHAT}/delete/", chat.delete, name="delete"),
    path(f"{CHAT}/undelete/", chat.undelete, name="undelete"),
    path(f"{CHAT}/close/", chat.close, name="close"),
    path(f"{CHAT}/presence/", chat.presence, name="presence"),
    path(f"{CHAT}/switches/", chat.switches, name="switches"),
    path(f"{CHAT}/remembered/", memory.remembered, name="remembered"),
    path(f"{CHAT}/remembered/now/", memory.remember_now, name="remember_now"),
    path(f"{CHAT}/remembered/try-again/", memory.try_again, name="try_again"),
    path(f"{CHAT}/remembered/<uuid:event_id>/undo/", memory.undo_mining, name="undo_mining"),
    path(f"{SOURCE}/fits/", memory.fits, name="fits"),
    path(f"{SOURCE}/always/", memory.always, name="always"),
    path(f"{SOURCE}/wrong/", memory.wrong, name="wrong"),
    path(f"{SOURCE}/wrong/<uuid:event_id>/undo/", memory.right, name="right"),
    path(f"{SOURCE}/forget/", memory.forget, name="forget"),
    path(f"{CHAT}/deletions/<uuid:deletion_id>/undo/", memory.restore, name="restore"),
    path("models/", models.models, name="models"),
    path("models/options/", models.options, name="model_options"),
    path("models/choose/", models.choose, name="choose_models"),
    path("models/test/", models.test, name="test_endpoint"),
    path("models/remove/", models.remove, name="remove_endpoint"),
    path("agents/", agents.agents, name="agents"),
    path("agents/new/", agents.new_agent, name="new_agent"),
    path("agents/<uuid:agent_id>/", agents.agent, name="agent"),
    path("agents/<uuid:agent_id>/default/", agents.make_default, name="make_default"),
    path("agents/<uuid:agent_id>/delete/", agents.delete_agent, name="delete_agent"),
    path("agents/<uuid:agent_id>/restore/", agents.restore_agent, name="restore_agent"),
]
