"""The services under test that are no databases: a package each, the only places that speak their protocols."""
