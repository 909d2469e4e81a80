package io.verbena.sockets.nio.select;

/**
 * How long a selection polls the engine and the selector of the JDK in turn before it waits in the latter, where an engine thread must
 * wake it for each message over RDMA. It learns from the length of the waits, as the spinning of an engine thread does: a wait that was
 * short would have ended while the thread polled.
 */
public final class PollTime {

    static final long MOST_NS = 200_000;
    static final long LEAST_NS = 2_000;
    private static final long START_NS = 20_000;

    private final boolean alone;
    private long ns = START_NS;

    /** With this number of processors; on a single one, a thread that polls keeps its peers from running. */
    public PollTime(int processors) {
        alone = processors == 1;
    }

    /** How long to poll now: not at all if polls of this length have been in vain, because the end of polling costs a wake-up. */
    public long ns() {
        return alone || ns == LEAST_NS ? 0 : ns;
    }

    /** A selection has polled and waited for so long in all. */
    public void onWaited(long waitedNs) {
        if (waitedNs < MOST_NS) {
            ns = Math.min(MOST_NS, ns * 2);
        } else if (waitedNs > 4 * MOST_NS) {
            ns = Math.max(LEAST_NS, ns / 2);
        }
    }
}
