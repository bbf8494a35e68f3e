"""The wizard's fields as they were typed, right or wrong, and the plan that they make when all are right."""
