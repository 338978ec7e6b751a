"""The nightly examination around `memory.probe`: its process, its hours, its report and its buttons."""
