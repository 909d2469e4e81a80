package io.verbena.tcp.connection;

import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.segment.Sequence;
import io.verbena.tcp.send.TcpSender;
import io.verbena.wire.ip.TcpHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a segment that an ICMP error quotes, and the connection that has sent it.
 *
 * <p>An error is believed only if the sequence number in it is in flight (RFC 5927 section 4.1), because anyone can send one.
 */
public final class QuotedSegment {

    /** Bytes that are read: ports and sequence number. RFC 792 guarantees as many. */
    public static final int LENGTH = 8;

    private final FlowTable connections;
    private final TcpHeader header = new TcpHeader();
    private long sequence;

    public QuotedSegment(FlowTable connections) {
        this.connections = connections;
    }

    /** The connection that has the quoted segment in flight, or null. The segment was sent to the given address. */
    @Nullable
    public TcpConnection sender(MemorySegment memory, long at, long destinationHigh, long destinationLow) {
        header.wrap(memory, at);
        int ports = FlowKey.ports(header.sourcePort(), header.destinationPort());
        TcpConnection connection = connections.find(destinationHigh, destinationLow, ports, 0);
        if (connection == null || connection.closed()) {
            return null;
        }
        TcpSender sender = connection.sender();
        sequence = Sequence.unwrap(sender.una(), header.sequence());
        return sequence >= sender.una() && sequence < sender.nxt() ? connection : null;
    }

    /** Its sequence number. */
    public long sequence() {
        return sequence;
    }
}
