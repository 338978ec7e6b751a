"""The rows: one store a noun, all over one database. Stores know SQL and no meaning."""
