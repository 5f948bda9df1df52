"""Facts and alerts that need several rooms, and the registry of all codes."""
