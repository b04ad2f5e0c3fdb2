"""A year of a user's life in sixty short chats, and what was true when."""
