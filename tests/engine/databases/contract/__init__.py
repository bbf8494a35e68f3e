"""What every database under test has to fulfil, written against ``engine.databases.database`` alone.

A DBMS joins with one file like ``test_postgresql_contract.py``: fixtures ``dbms``, the server under test, and
``mortal``, one that may be killed; and a subclass of each class here.
"""
