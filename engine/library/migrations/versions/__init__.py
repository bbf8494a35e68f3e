"""One file a version; a file that was released is never changed again."""
