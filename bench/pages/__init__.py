"""What pages of memory send, how many statements they take and how long, however much there is."""
