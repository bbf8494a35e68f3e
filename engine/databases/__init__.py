"""The databases under test: one Protocol, one file per DBMS, the only files that import a driver."""
