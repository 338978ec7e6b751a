"""What the assistant can do: one capability a file, each reaching memory and nothing above it."""
