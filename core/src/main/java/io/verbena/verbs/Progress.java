package io.verbena.verbs;

/** Which threads drive an RNIC. */
public enum Progress {
    /**
     * One thread per engine. The RNIC works while the application computes. An idle engine spins briefly, then parks. A
     * thread that waits in {@link Rnic#progress(java.time.Duration)} borrows the engine and drives it itself, with the latency
     * of {@link #INLINE}. After it has returned from the wait, the engine is driven by what it posts, by other threads' doorbells at
     * once, and for everything else by the engine thread after at most a millisecond.
     */
    ENGINE_THREAD,
    /**
     * The threads that post, poll and wait drive the engine: lowest latency. All INLINE RNICs of a thread are driven
     * together, so two endpoints in one thread cannot block each other. If the thread does not drive its RNICs for
     * longer than 100 ms, or ends, a thread of the RNIC drives them instead (the setting {@code inline-stand-in-ms} of
     * {@link RnicOptions}; 0 disables this), so that peers are answered. Handlers run in the caller's thread only.
     */
    INLINE
}
