"""The services under test that are not databases, one package each. Their protocols are implemented nowhere else."""
