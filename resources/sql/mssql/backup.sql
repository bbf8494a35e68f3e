-- The pristine store into one file, over whatever is in it; the file is checked as it is written.

BACKUP DATABASE $(database) TO DISK = $(file)
    WITH FORMAT, INIT, CHECKSUM, NAME = N'Spindle: the store as it was built'
GO
