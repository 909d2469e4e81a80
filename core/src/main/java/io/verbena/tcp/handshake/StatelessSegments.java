package io.verbena.tcp.handshake;

import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.Replies;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.send.SegmentOut;
import io.verbena.tcp.state.TcpCounters;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Writes the segments that belong to no connection. They have memory of their own, because a packet of a connection may be written
 * already and wait for the carrier.
 */
public final class StatelessSegments {

    private final Replies replies;
    private final TcpCounters counters;
    private final SegmentOut out = new SegmentOut();
    private final MemorySegment memory = MemorySegment.ofArray(new byte[TcpHeader.MAX_LENGTH]);

    public StatelessSegments(Replies replies, TcpCounters counters) {
        this.replies = replies;
        this.counters = counters;
    }

    /** Answers a segment with a reset (RFC 9293 section 3.5.2 [note]). */
    public void reset(FlowKey key, SegmentIn in) {
        if (in.has(TcpHeader.RST)) {
            return;
        }
        counters.resetsOut++;
        boolean acknowledges = in.has(TcpHeader.ACK);
        int sequence = acknowledges ? in.header().acknowledgment() : 0;
        int acknowledgment = acknowledges ? 0 : in.header().sequence() + in.sequenceLength();
        out.begin(memory, 0);
        out.header(
                key.ports(), sequence, acknowledgment, acknowledges ? TcpHeader.RST : TcpHeader.RST | TcpHeader.ACK, 0);
        add(key);
    }

    /**
     * Answers a SYN; returns false if too many segments wait.
     *
     * @param flags in addition to SYN and ACK
     * @param window the window, which is not scaled
     * @param writing writes the options
     */
    boolean synAck(FlowKey key, SegmentIn in, int sequence, int flags, int window, Consumer<TcpOptionWriter> writing) {
        writing.accept(out.begin(memory, 0));
        int all = TcpHeader.SYN | TcpHeader.ACK | flags;
        out.header(key.ports(), sequence, in.header().sequence() + 1, all, window);
        return add(key);
    }

    private boolean add(FlowKey key) {
        return replies.add(key, Ipv4Header.TCP, memory, 0, out.length());
    }
}
