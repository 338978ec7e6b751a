"""What a member can ask for by command and by button: one command a file, its menus and cards beside it."""
