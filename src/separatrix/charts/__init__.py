"""Chart specifications: data in, an Altair chart out, no statistics inside."""
