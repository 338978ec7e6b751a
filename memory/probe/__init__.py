"""The probe: a memory that examines itself, every night, on a copy, with controls that can fail."""
