"""Tables in a database: queries as sources, summed where their rows are, and all SQL."""
