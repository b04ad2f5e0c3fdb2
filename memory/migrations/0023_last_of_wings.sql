-- A wing was last mentioned when the last drawer of any room was said, not when its newest room began.

CREATE OR REPLACE FUNCTION memory_recount(owner uuid, closets uuid[], rooms uuid[], wings uuid[])
RETURNS void LANGUAGE sql AS $$
  UPDATE memory_closet c SET drawers_held = counted.drawers
  FROM (SELECT place, (SELECT count(*) FROM memory_drawer d
                       WHERE d.user_id = owner AND d.closet_id = place AND d.deleted_at IS NULL)
               AS drawers FROM unnest(closets) AS place) counted
  WHERE c.user_id = owner AND c.id = counted.place AND c.drawers_held <> counted.drawers;

  UPDATE memory_room r SET drawers_held = counted.drawers, closets_held = counted.closets
  FROM (SELECT place,
               (SELECT count(*) FROM memory_drawer d
                WHERE d.user_id = owner AND d.room_id = place AND d.deleted_at IS NULL) AS drawers,
               (SELECT count(*) FROM memory_closet c
                WHERE c.user_id = owner AND c.room_id = place AND c.drawers_held > 0) AS closets
        FROM unnest(rooms) AS place) counted
  WHERE r.user_id = owner AND r.id = counted.place
    AND (r.drawers_held, r.closets_held) <> (counted.drawers, counted.closets);

  UPDATE memory_wing w SET drawers_held = counted.drawers, rooms_held = counted.rooms,
         first_at = counted.first_at, last_at = counted.last_at
  FROM (SELECT place, held.* FROM unnest(wings) AS place, LATERAL (
          SELECT coalesce(sum(r.drawers_held), 0) AS drawers, count(*) AS rooms,
                 min(r.started_at) AS first_at, max(r.ended_at) AS last_at
          FROM memory_room r
          WHERE r.user_id = owner AND r.wing_id = place AND r.drawers_held > 0) held) counted
  WHERE w.user_id = owner AND w.id = counted.place
    AND (w.drawers_held, w.rooms_held, w.first_at, w.last_at)
        IS DISTINCT FROM (counted.drawers, counted.rooms, counted.first_at, counted.last_at);
$$;

CREATE OR REPLACE FUNCTION memory_places_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_recount(user_id, '{}', array_agg(DISTINCT room_id), array_agg(DISTINCT wing_id))
  FROM (SELECT side.* FROM after_it a
        JOIN before_it b ON b.user_id = a.user_id AND b.id = a.id,
        LATERAL (VALUES (a.user_id, a.id, a.wing_id), (b.user_id, b.id, b.wing_id))
          AS side(user_id, room_id, wing_id)
        WHERE (a.wing_id, a.started_at, a.ended_at) <> (b.wing_id, b.started_at, b.ended_at)) changed
  GROUP BY user_id;
  RETURN NULL;
END $$;

UPDATE memory_wing w SET last_at = held.last_at
FROM (SELECT user_id, wing_id, max(ended_at) AS last_at FROM memory_room WHERE drawers_held > 0
      GROUP BY user_id, wing_id) held
WHERE w.user_id = held.user_id AND w.id = held.wing_id AND w.last_at <> held.last_at;
