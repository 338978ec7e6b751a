"""What is remembered, and how that is proven. Knows no Telegram and no Gemini."""
