"""Side by side with the peers: one process, the same arrays, interleaved, best of several."""
