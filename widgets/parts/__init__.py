"""What several screens use: colours, numbers, icons, forms, tables and the time chart."""
