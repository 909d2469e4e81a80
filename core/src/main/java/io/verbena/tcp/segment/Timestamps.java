package io.verbena.tcp.segment;

import io.verbena.base.Times;
import io.verbena.wire.ip.TcpOptionReader;

/** Timestamps and the protection against wrapped sequence numbers (RFC 7323). */
public final class Timestamps {

    private static final long NS_PER_TICK = 1_000_000;

    /** RFC 7323 section 5.5: after 24 days without a segment the stored timestamp is too old to reject anything. */
    private static final long VALID_NS = 24L * 24 * 3600 * 1_000_000_000L;

    private final int offset;
    private boolean used;
    private int recent;
    private long recentNs;

    /** The clock of this connection starts with an unpredictable offset (RFC 7323 section 5.4). */
    public Timestamps(int offset) {
        this.offset = offset;
    }

    /** Both sides have offered timestamps. */
    public void begin(int peer, long nowNs) {
        used = true;
        recent = peer;
        recentNs = nowNs;
    }

    public boolean used() {
        return used;
    }

    /** TSval of a segment that is sent now. */
    public int now(long nowNs) {
        return (int) (nowNs / NS_PER_TICK) + offset;
    }

    /** TSecr. */
    public int recent() {
        return recent;
    }

    /** Whether a segment is older than one that was received before (RFC 7323 section 5.3, R1). */
    public boolean rejects(TcpOptionReader options, long nowNs) {
        if (!used) {
            return false;
        }
        // RFC 7323 section 3.2: a segment without the agreed option is dropped.
        boolean old = !options.timestamps() || options.timestamp() - recent < 0;
        return old && !Times.due(Times.after(recentNs, VALID_NS), nowNs);
    }

    /** Stores the timestamp of an acceptable segment that contains or precedes what was acknowledged last (R3). */
    public void onSegment(TcpOptionReader options, long sequence, long lastAcknowledgment, long nowNs) {
        if (used && options.timestamps() && sequence <= lastAcknowledgment && options.timestamp() - recent >= 0) {
            recent = options.timestamp();
            recentNs = nowNs;
        }
    }

    /** Whether a SYN for a connection in TIME-WAIT is an old one, by its timestamp (RFC 6191). */
    public boolean older(TcpOptionReader options) {
        return used && options.timestamps() && options.timestamp() - recent < 0;
    }

    /** Whether a SYN for a connection in TIME-WAIT is new, by its timestamp (RFC 6191). */
    public boolean newer(TcpOptionReader options) {
        return used && options.timestamps() && options.timestamp() - recent > 0;
    }
}
