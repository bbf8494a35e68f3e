"""The run in progress in the window: started, followed, marked and injected into."""
