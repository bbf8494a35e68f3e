"""The toy on each DBMS."""
