"""The memory pages. Every view filters by the signed-in user, so another user's object is the same 404 as
one that does not exist."""
