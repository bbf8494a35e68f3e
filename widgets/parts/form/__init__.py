"""Parts of forms: rows, fields, notes and tables that are typed into."""
