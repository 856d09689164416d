"""The running table: samples and commands in; decisions, documents and replies out."""
