"""Addresses of the chat."""

from django.urls import include, path

from chat import (
    agent_views,
    conversation_views,
    edit_views,
    incognito_views,
    memory_views,
    reply_views,
    source_views,
    views,
)

app_name = "chat"

CHAT = "<uuid:conversation_id>"
SOURCE = f"{CHAT}/recalls/<uuid:trace_id>/drawers/<uuid:drawer_id>"

urlpatterns = [
    path("", include("chat.import_urls")),
    path("", include("chat.transfer_urls")),
    path("", views.chat, name="chat"),
    path("new/", views.new, name="new"),
    path("deleted/", conversation_views.deleted, name="deleted"),
    path("waiting/", memory_views.waiting, name="waiting"),
    path("recalls/<uuid:trace_id>/", memory_views.reply_of, name="reply_of"),
    path(f"{CHAT}/", views.conversation, name="conversation"),
    path(f"{CHAT}/messages/", views.send, name="send"),
    path(f"{CHAT}/messages/<int:sequence>/", views.message, name="message"),
    path(f"{CHAT}/messages/<int:sequence>/trace/", memory_views.trace, name="trace"),
    path(f"{CHAT}/messages/<int:sequence>/edit/", views.edit, name="edit"),
    path(f"{CHAT}/messages/<int:sequence>/show/", views.show, name="show"),
    path(f"{CHAT}/replies/<int:sequence>/stream", reply_views.stream, name="stream"),
    path(f"{CHAT}/replies/<int:sequence>/stop", reply_views.stop, name="stop"),
    path(f"{CHAT}/replies/<int:sequence>/retry", reply_views.retry, name="retry"),
    path(f"{CHAT}/rename/", conversation_views.rename, name="rename"),
    path(f"{CHAT}/delete/", conversation_views.delete, name="delete"),
    path(f"{CHAT}/undelete/", conversation_views.undelete, name="undelete"),
    path(f"{CHAT}/close/", conversation_views.close, name="close"),
    path(f"{CHAT}/presence/", incognito_views.presence, name="presence"),
    path(f"{CHAT}/switches/", conversation_views.switches, name="switches"),
    path(f"{CHAT}/remembered/", memory_views.remembered, name="remembered"),
    path(f"{CHAT}/remembered/now/", memory_views.remember_now, name="remember_now"),
    path(f"{CHAT}/remembered/try-again/", memory_views.try_again, name="try_again"),
    path(f"{CHAT}/remembered/<uuid:event_id>/undo/", memory_views.take_back, name="take_back"),
    path(f"{SOURCE}/fits/", source_views.fits, name="fits"),
    path(f"{SOURCE}/always/", source_views.always, name="always"),
    path(f"{SOURCE}/wrong/", source_views.wrong, name="wrong"),
    path(f"{SOURCE}/wrong/<uuid:event_id>/undo/", source_views.right, name="right"),
    path(f"{SOURCE}/forget/", source_views.forget, name="forget"),
    path(f"{CHAT}/deletions/<uuid:deletion_id>/undo/", memory_views.restore, name="restore"),
    path("edits/<uuid:edit_id>/undo/", edit_views.undo_edit, name="undo_edit"),
    path("agents/", agent_views.agents, name="agents"),
    path("agents/new/", agent_views.new_agent, name="new_agent"),
    path("agents/<uuid:agent_id>/", agent_views.agent, name="agent"),
    path("agents/<uuid:agent_id>/default/", agent_views.make_default, name="make_default"),
    path("agents/<uuid:agent_id>/delete/", agent_views.delete_agent, name="delete_agent"),
    path("agents/<uuid:agent_id>/restore/", agent_views.restore_agent, name="restore_agent"),
]
