"""What several screens use: look, numbers, icons, forms and the time chart."""
