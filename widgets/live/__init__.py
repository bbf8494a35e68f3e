"""The live page and its parts, which the library shows a kept run with as well."""
