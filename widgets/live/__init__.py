"""The Live page and its parts, which the library uses to show a stored run as well."""
