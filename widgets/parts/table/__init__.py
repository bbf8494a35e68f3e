"""Parts of tables: views, models, columns and copying."""
