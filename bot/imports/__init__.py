"""What is taken in from elsewhere: exports of Telegram Desktop, and the facts that older messages state."""
