"""The only door to a model: chat, structured output and embeddings, remote or local."""
