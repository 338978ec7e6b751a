"""A memory as one file that people and programs can read, and taken in again from there."""
