"""Pages of memory. Each view fetches through the signed-in person, so that somebody else's
object is the same 404 as one that does not exist."""
