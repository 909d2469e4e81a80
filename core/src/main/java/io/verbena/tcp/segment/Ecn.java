package io.verbena.tcp.segment;

import io.verbena.wire.ip.TcpHeader;

/**
 * Explicit congestion notification of one connection (RFC 3168): a router marks packets instead of dropping them, the receiver
 * echoes the mark, and the sender reduces its window as after a loss.
 *
 * <pre>
 *   sender --- data, ECT ---> router --- data, CE ---> receiver
 *     ^                                                   | ECE in each acknowledgment
 *     +---------------------------------------------------+
 *     +--- next new data: CWR --------------------------->  ends the echo
 * </pre>
 */
public final class Ecn {

    private static final int BOTH = TcpHeader.ECE | TcpHeader.CWR;

    private boolean offered;
    private boolean asked;
    private boolean used;
    private boolean echo;
    private boolean reduced;
    private long point;

    public Ecn(boolean offered) {
        this.offered = offered;
    }

    /** Whether both sides have agreed. */
    public boolean used() {
        return used;
    }

    /** The flags of a SYN. A repeated one does not ask, because the first one may have been dropped for asking. */
    public int synFlags(boolean answer) {
        if (answer) {
            return used ? TcpHeader.ECE : 0;
        }
        offered &= !asked;
        asked = true;
        return offered ? BOTH : 0;
    }

    /** The SYN of the peer has arrived (RFC 3168 section 6.1.1). */
    public void onPeerSyn(int flags, boolean connects) {
        int wanted = connects ? TcpHeader.ECE | TcpHeader.ACK : BOTH;
        used = offered && (flags & (BOTH | TcpHeader.ACK)) == wanted;
    }

    // Receiver.

    /** Data has arrived, in a packet that may be marked (RFC 3168 section 6.1.3). */
    public void onData(int flags, boolean marked) {
        echo = used && (marked || echo && (flags & TcpHeader.CWR) == 0);
    }

    // Sender.

    /** The flags to add to a segment; {@code newData} if it has data that was never sent before. */
    public int flags(boolean newData) {
        int cwr = newData && reduced ? TcpHeader.CWR : 0;
        reduced &= cwr == 0;
        return cwr | (echo ? TcpHeader.ECE : 0);
    }

    /** Whether an acknowledgment requires a reaction: once per window of data (RFC 3168 section 6.1.2). */
    public boolean reacts(int flags, long acknowledged, long next) {
        if (!used || (flags & TcpHeader.ECE) == 0 || acknowledged < point) {
            return false;
        }
        point = next;
        return true;
    }

    /** The congestion window was reduced, also after a loss. What is in flight does not require another reduction. */
    public void onReduced(long next) {
        reduced = used;
        point = next;
    }
}
