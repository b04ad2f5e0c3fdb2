"""A year of one person's life in sixty short chats, and what was true when."""
