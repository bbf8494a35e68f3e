"""Parts of tables: views, models, columns and what is copied from them."""
