"""`remembrancer bench`: measures what the product claims, fixed data, fixed seeds."""
