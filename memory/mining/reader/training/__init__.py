"""Training of the reader; needs PyTorch, which nothing else here does."""
