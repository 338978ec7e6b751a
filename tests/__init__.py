"""The specification of Remembrancer."""
