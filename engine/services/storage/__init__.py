"""Storage under test: a file on a disk of this machine or of another one, and the programs that read and write it."""
