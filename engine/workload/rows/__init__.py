"""What a workload's row generator is made of: random numbers by index, columns of text, blocks of rows; needs numpy."""
