"""The table at work: samples and words in; decisions, documents and replies out."""
