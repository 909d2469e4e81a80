package io.verbena.tcp.ip;

import io.verbena.tcp.connection.FlowTable;
import io.verbena.tcp.connection.QuotedSegment;
import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.flow.Replies;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.IcmpHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Arriving ICMP messages: echo requests are answered, errors are reported to the connection that caused them.
 *
 * <p>An error that is believed (see {@link QuotedSegment}) ends a connection only while that is being set up; RFC 5927 section 5.2 treats all
 * others as transient.
 */
public final class IcmpInput {

    private final QuotedSegment quoted;
    private final Replies replies;
    private final IcmpHeader header = new IcmpHeader();
    private final Ipv4Header inner = new Ipv4Header();

    public IcmpInput(FlowTable connections, Replies replies) {
        this.quoted = new QuotedSegment(connections);
        this.replies = replies;
    }

    /** Processes a message; returns the connection that it has changed, or null. */
    @Nullable
    TcpConnection onMessage(MemorySegment memory, long from, long to, int source, int local) {
        int length = (int) (to - from);
        if (!IcmpHeader.fits(length) || !InternetChecksum.intact(InternetChecksum.sum(memory, from, length))) {
            return null;
        }
        header.wrap(memory, from);
        if (header.type() == IcmpHeader.ECHO && header.code() == 0) {
            // RFC 792: the reply has the data of the request.
            header.finish(IcmpHeader.ECHO_REPLY, 0, length);
            FlowKey flow = new FlowKey(IpAddress.ipv4(local), IpAddress.ipv4(source), 0, 0);
            replies.add(flow, Ipv4Header.ICMP, memory, from, length);
            return null;
        }
        return header.type() == IcmpHeader.UNREACHABLE
                ? onUnreachable(memory, from + IcmpHeader.LENGTH, to, local)
                : null;
    }

    private @Nullable TcpConnection onUnreachable(MemorySegment memory, long from, long to, int local) {
        int available = (int) (to - from);
        inner.wrap(memory, from);
        if (available < Ipv4Header.LENGTH
                || inner.headerBytes() < Ipv4Header.LENGTH
                || available < inner.headerBytes() + QuotedSegment.LENGTH
                || inner.protocol() != Ipv4Header.TCP
                || inner.source() != local) {
            return null;
        }
        TcpConnection connection =
                quoted.sender(memory, from + inner.headerBytes(), 0, IpAddress.mapped(inner.destination()));
        if (connection == null) {
            return null;
        }
        if (header.code() == IcmpHeader.FRAGMENTATION_NEEDED) {
            connection.onPacketTooBig(header.nextHopMtu(), quoted.sequence());
        } else if (connection.state() == TcpState.SYN_SENT && isHard(header.code())) {
            connection.fail(TcpEnd.UNREACHABLE);
        }
        return connection;
    }

    /** RFC 9293 section 3.9.2.2 [note]: the other codes may be transient, and the SYN is repeated. */
    private static boolean isHard(int code) {
        return code == IcmpHeader.PROTOCOL_UNREACHABLE || code == IcmpHeader.PORT_UNREACHABLE;
    }
}
