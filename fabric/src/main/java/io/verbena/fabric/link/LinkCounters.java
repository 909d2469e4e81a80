package io.verbena.fabric.link;

/** What every port has counted since the start. */
public final class LinkCounters {
    private static final int FLITS_SENT = 0;
    private static final int FRAMES_SENT = 1;
    private static final int RESENT = 2;
    private static final int STALLED = 3;
    private static final int STALLED_SINCE = 4;
    private static final int FLITS_RECEIVED = 5;
    private static final int FRAMES_RECEIVED = 6;
    private static final int DAMAGED = 7;
    private static final int SHIFT = 3;

    private final long[] counts;

    LinkCounters(int ports) {
        counts = new long[ports << SHIFT];
    }

    void sent(int port, int flit, long now) {
        int at = port << SHIFT;
        counts[at + FLITS_SENT]++;
        counts[at + FRAMES_SENT] += flit >> 1 & 1;
        if (counts[at + STALLED_SINCE] != 0) {
            counts[at + STALLED] += now + 1 - counts[at + STALLED_SINCE];
            counts[at + STALLED_SINCE] = 0;
        }
    }

    void received(int port, int flit) {
        int at = port << SHIFT;
        counts[at + FLITS_RECEIVED]++;
        counts[at + FRAMES_RECEIVED] += flit >> 1 & 1;
    }

    void resent(int port) {
        counts[(port << SHIFT) + RESENT]++;
    }

    void damaged(int port) {
        counts[(port << SHIFT) + DAMAGED]++;
    }

    void stalled(int port, long now) {
        int at = (port << SHIFT) + STALLED_SINCE;
        if (counts[at] == 0) {
            counts[at] = now + 1;
        }
    }

    /** Flits of data that a port has sent, without retransmissions. */
    public long flitsSent(int port) {
        return counts[(port << SHIFT) + FLITS_SENT];
    }

    /** Frames whose last flit a port has sent. */
    public long framesSent(int port) {
        return counts[(port << SHIFT) + FRAMES_SENT];
    }

    /** Flits that a port has sent again. */
    public long flitsResent(int port) {
        return counts[(port << SHIFT) + RESENT];
    }

    /** Ticks during which a port had a flit to send and no lane of it had a credit. */
    public long stalledTicks(int port) {
        return counts[(port << SHIFT) + STALLED];
    }

    /** Flits of data that a port has received intact and in order. */
    public long flitsReceived(int port) {
        return counts[(port << SHIFT) + FLITS_RECEIVED];
    }

    /** Frames whose last flit a port has received. */
    public long framesReceived(int port) {
        return counts[(port << SHIFT) + FRAMES_RECEIVED];
    }

    /** Flits that arrived damaged at a port. */
    public long flitsDamaged(int port) {
        return counts[(port << SHIFT) + DAMAGED];
    }
}
