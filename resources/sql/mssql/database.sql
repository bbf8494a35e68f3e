-- A database of its own for the store; $(files) is the file list that a layout comes to. Full-text and procedures want
-- no more than the defaults, which are written out where a server's model database may say otherwise.

CREATE DATABASE $(database) $(files)
GO
ALTER DATABASE $(database) SET AUTO_CLOSE OFF, AUTO_SHRINK OFF, RECURSIVE_TRIGGERS OFF
GO
