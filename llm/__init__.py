"""The only access to models: chat, structured output and embeddings, remote or local."""
