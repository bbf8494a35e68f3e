-- The pristine store back over the present one, into the files that this has here. Taken offline first: nobody can
-- come in between, as the one connection of SINGLE_USER could be anybody's.

ALTER DATABASE $(database) SET OFFLINE WITH ROLLBACK IMMEDIATE
GO
RESTORE DATABASE $(database) FROM DISK = $(file)
    WITH REPLACE, RECOVERY, CHECKSUM, $(moves)
GO
