"""Parts of forms: rows, fields, notes and editable tables."""
