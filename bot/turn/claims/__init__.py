"""What an answer claims to have done, held against the rows."""
