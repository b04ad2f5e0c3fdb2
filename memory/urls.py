"""URLs of the memory pages."""

from django.urls import path, register_converter

from memory.models import Skill
from memory.pages.activity import activity, cost
from memory.pages.facts import facts, listing, profile, review, skills, timeline
from memory.pages.graph import entities, graph
from memory.pages.palace import drawers, organize, trash, tree
from memory.pages.search import search
from memory.pages.settings import health, settings
from memory.pages.undo import undo

app_name = "memory"
register_converter(timeline.DayConverter, "day")

_WING = "w/<uuid:wing_id>/"
_ROOM = f"{_WING}r/<uuid:room_id>/"
_CLOSET = f"{_ROOM}c/<uuid:closet_id>/"
_DRAWER = "drawers/<uuid:drawer_id>/"
_POINTER = "p/W-<int:wing>/R-<int:room>/D-<int:drawer>/"
_DELETION = "trash/<uuid:deletion_id>/"
_ENTITY = "graph/<uuid:entity_id>/"
_FACT = "facts/<uuid:fact_id>/"
_SKILL = "skills/<uuid:skill_id>/"
_INSIGHT = "profile/insights/<uuid:insight_id>/"
_VALUE = "profile/values/<uuid:fact_id>/"
_WORDS = "profile/words/<uuid:words_id>/"
_RUN = "activity/consolidation/<uuid:run_id>/"


urlpatterns = [
    path("", tree.palace, name="palace"),
    path("wings/", tree.wing_list, name="wing_list"),
    path("waiting/", tree.waiting_drawers, name="waiting_drawers"),
    path(_WING, tree.wing, name="wing"),
    path(f"{_WING}rooms/", tree.room_list, name="room_list"),
    path(f"{_WING}delete/", trash.delete, name="delete_wing"),
    path(_ROOM, tree.room, name="room"),
    path(f"{_ROOM}preview/", tree.room_preview, name="room_preview"),
    path(f"{_ROOM}closets/", tree.closet_list, name="closet_list"),
    path(f"{_ROOM}delete/", trash.delete, name="delete_room"),
    path(_CLOSET, tree.closet, name="closet"),
    path(f"{_CLOSET}drawers/", tree.drawer_list, name="drawer_list"),
    path(f"{_CLOSET}delete/", trash.delete, name="delete_closet"),
    path("change/<str:scope>/<uuid:place_id>/", organize.change_place, name="change_place"),
    path("selected/delete/", trash.delete_selected, name="delete_selected"),
    path(_DRAWER, drawers.drawer, name="drawer"),
    path(f"{_DRAWER}pin/", drawers.mark, {"field": "pinned"}, name="pin"),
    path(f"{_DRAWER}sensitive/", drawers.mark, {"field": "sensitive"}, name="sensitive"),
    path(f"{_DRAWER}secrets/", drawers.secrets, name="secrets"),
    path(f"{_DRAWER}annotate/", drawers.annotate, name="annotate"),
    path(f"{_DRAWER}move/", organize.move_drawer, name="move_drawer"),
    path(f"{_DRAWER}delete/", drawers.delete_drawer, name="delete_drawer"),
    path(_POINTER, drawers.pointer, name="pointer"),
    path("trash/", trash.trash, name="trash"),
    path(_DELETION, trash.deletion, name="deletion"),
    path("undo/<uuid:change_id>/", undo, name="undo"),
    path("search/", search.search, name="search"),
    path("facts/", listing.facts, name="facts"),
    path("facts/add/", facts.add_fact, name="add_fact"),
    path(_FACT, facts.fact, name="fact"),
    path(f"{_FACT}edit/", facts.edit_fact, name="edit_fact"),
    path(f"{_FACT}end/", facts.end_fact, name="end_fact"),
    path(f"{_FACT}delete/", facts.delete_fact, name="delete_fact"),
    path(f"{_FACT}answer-ending/", review.answer_ending, name="answer_ending"),
    path(f"{_FACT}approve/", review.approve, name="approve"),
    path(f"{_FACT}reject/", review.reject, name="reject"),
    path(f"{_FACT}keep-both/", review.keep_both, name="keep_both"),
    path(f"{_FACT}merge/", review.merge, name="merge"),
    path(f"{_FACT}reconsider/", review.reconsider, name="reconsider"),
    path("review/", review.review, name="review"),
    path("review/decide/", review.decide, name="decide"),
    path("profile/", profile.profile, name="profile"),
    path("profile/words/", profile.own_words, name="own_words"),
    path(f"{_WORDS}use/", profile.use_words, name="use_words"),
    path(f"{_WORDS}erase/", profile.erase_words, name="erase_words"),
    path(f"{_VALUE}hide/", profile.decide_value, {"hidden": True}, name="hide_value"),
    path(f"{_VALUE}show/", profile.decide_value, {"hidden": False}, name="show_value"),
    path("skills/", skills.skills, name="skills"),
    path(_SKILL, skills.skill, name="skill"),
    path(f"{_SKILL}publish/", skills.decide_skill, {"status": Skill.Status.PUBLISHED}, name="publish_skill"),
    path(f"{_SKILL}reject/", skills.decide_skill, {"status": Skill.Status.REJECTED}, name="reject_skill"),
    path(
        f"{_SKILL}reconsider/",
        skills.decide_skill,
        {"status": Skill.Status.PROPOSED},
        name="reconsider_skill",
    ),
    path(f"{_SKILL}versions/<int:number>/", skills.use_skill_text, name="use_skill_text"),
    path(f"{_INSIGHT}dismiss/", profile.decide_insight, {"dismissed": True}, name="dismiss_insight"),
    path(f"{_INSIGHT}restore/", profile.decide_insight, {"dismissed": False}, name="restore_insight"),
    path("timeline/", timeline.timeline, name="timeline"),
    path("timeline/days/", timeline.days, name="days"),
    path("timeline/<day:day>/", timeline.day, name="day"),
    path("graph/", graph.graph, name="graph"),
    path("graph/points/", graph.points, name="points"),
    path("graph/paths/", graph.paths, name="paths"),
    path(_ENTITY, entities.entity, name="entity"),
    path(f"{_ENTITY}rename/", entities.change_entity, {"name": "rename"}, name="rename_entity"),
    path(f"{_ENTITY}kind/", entities.change_entity, {"name": "retype"}, name="retype_entity"),
    path(f"{_ENTITY}names/", entities.change_entity, {"name": "name"}, name="name_entity"),
    path(f"{_ENTITY}names/<uuid:name_id>/", entities.unname_entity, name="unname_entity"),
    path(f"{_ENTITY}details/", entities.change_entity, {"name": "detail"}, name="detail_entity"),
    path(f"{_ENTITY}merge/", entities.change_entity, {"name": "merge"}, name="merge_entity"),
    path(f"{_ENTITY}split/", entities.change_entity, {"name": "split"}, name="split_entity"),
    path("activity/", activity.activity, name="activity"),
    path("activity/changes/", activity.changes, name="changes"),
    path("activity/consolidation/", activity.consolidation, name="consolidation"),
    path("activity/cost/", cost.cost, name="cost"),
    path("mining/retry/", activity.retry, name="retry"),
    path("mining/now/", activity.mine_now, name="mine_now"),
    path("mining/resume/", activity.resume, name="resume"),
    path("mining/discard/", activity.discard, name="discard"),
    path("mining/reextract/", activity.reextract, name="reextract"),
    path(f"{_FACT}use-again/", activity.use_again, name="use_again"),
    path("activity/consolidation/preview/", activity.preview, name="preview"),
    path("activity/consolidation/drop/", activity.drop_plan, name="drop_plan"),
    path(_RUN, activity.consolidation_run, name="consolidation_run"),
    path(f"{_RUN}apply/", activity.apply_plan, name="apply_plan"),
    path("note/", drawers.note, name="note"),
    path("consent/", settings.consent, name="consent"),
    path("settings/", settings.settings, name="settings"),
    path("settings/time-zone/", settings.use_zone, name="use_zone"),
    path("settings/health/", health.health, name="health"),
    path("settings/example/", settings.setting_example, name="setting_example"),
    path("settings/<slug:name>/reset/", settings.reset_setting, name="reset_setting"),
]
