"""Backups of a whole home: written, checked, and put back in place of what is there."""
