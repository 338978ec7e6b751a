"""The sandbox in which the shell tool runs commands."""
