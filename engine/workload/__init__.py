"""What a workload is: its parameters, transactions and actions; knows no database and no screen."""
