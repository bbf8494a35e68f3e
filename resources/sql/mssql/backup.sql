-- The pristine store into one file, over whatever is in it; the file is checked as it is written. $(copy_only) keeps a
-- database of somebody else's in the chain of backups that he makes of it.

BACKUP DATABASE $(database) TO DISK = $(file)
    WITH FORMAT, INIT, CHECKSUM$(copy_only), NAME = N'Spindle: the store as it was built'
GO
