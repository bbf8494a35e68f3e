"""The main window and what belongs to it as a whole: menu, theme, messages, notifications, dropped files."""
