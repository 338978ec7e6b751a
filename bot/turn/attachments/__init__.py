"""What comes with a member's message besides words: fetched, heard, read, kept and shown to the model."""
