"""Results of other programs that measure storage, read from the files that they print: SQLIO, diskspd, fio."""
