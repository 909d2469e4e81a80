package io.verbena.verbs;

/** Who does an RNIC's work. */
public enum Progress {
    /** A thread an engine: the RNIC works while the application computes; it spins briefly when idle, then parks. */
    ENGINE_THREAD,
    /**
     * Posting, polling and waiting drive the engine in the caller's thread: lowest latency. All INLINE RNICs of a thread
     * are driven together, so two endpoints in one thread never wait for each other for ever. While that thread does something else for
     * longer than 100 ms (the setting {@code inline-stand-in-ms} of {@link RnicOptions}, 0 for ever), a thread of the RNIC
     * stands in for it, so that peers are answered; handlers run in the caller's thread only.
     */
    INLINE
}
