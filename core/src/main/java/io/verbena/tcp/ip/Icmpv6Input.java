package io.verbena.tcp.ip;

import io.verbena.tcp.connection.FlowTable;
import io.verbena.tcp.connection.QuotedSegment;
import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.flow.Replies;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Arriving ICMPv6 messages (RFC 4443), except neighbor discovery: echo requests are answered, errors are reported to the connection that
 * caused them (see {@link QuotedSegment}). Router advertisements and redirects are ignored: the address and
 * the router are configured.
 */
public final class Icmpv6Input {

    private final QuotedSegment quoted;
    private final Replies replies;
    private final Icmpv6Header header = new Icmpv6Header();
    private final Ipv6Header inner = new Ipv6Header();

    public Icmpv6Input(FlowTable connections, Replies replies) {
        this.quoted = new QuotedSegment(connections);
        this.replies = replies;
    }

    /** Processes the message in a packet; returns the connection that it has changed, or null. */
    @Nullable
    TcpConnection onMessage(MemorySegment memory, Ipv6Layer ip) {
        long from = ip.content();
        int length = (int) (ip.end() - from);
        if (!Icmpv6Header.fits(length)
                || !InternetChecksum.intact(ip.pseudoHeader() + InternetChecksum.sum(memory, from, length))) {
            return null;
        }
        header.wrap(memory, from);
        return switch (header.type()) {
            case Icmpv6Header.ECHO -> {
                // RFC 4443 section 4.2: the reply has the data of the request. The sum of the pseudo-header is the
                // same.
                header.finish(Icmpv6Header.ECHO_REPLY, header.code(), ip.pseudoHeader(), length);
                IpAddress source = new IpAddress(ip.sourceHigh(), ip.sourceLow());
                replies.add(new FlowKey(ip.address(), source, 0, 0), Ipv6Header.ICMP, memory, from, length);
                yield null;
            }
            case Icmpv6Header.UNREACHABLE, Icmpv6Header.PACKET_TOO_BIG ->
                onError(memory, from + Icmpv6Header.LENGTH, ip.end(), ip.address());
            default -> null;
        };
    }

    /** This host sends no extension headers, so the segment in the message follows its IPv6 header. */
    private @Nullable TcpConnection onError(MemorySegment memory, long from, long to, IpAddress local) {
        if (to - from < Ipv6Header.LENGTH + QuotedSegment.LENGTH) {
            return null;
        }
        inner.wrap(memory, from);
        if (inner.nextHeader() != Ipv6Header.TCP
                || inner.sourceHigh() != local.high()
                || inner.sourceLow() != local.low()) {
            return null;
        }
        TcpConnection connection =
                quoted.sender(memory, from + Ipv6Header.LENGTH, inner.destinationHigh(), inner.destinationLow());
        if (connection == null) {
            return null;
        }
        if (header.type() == Icmpv6Header.PACKET_TOO_BIG) {
            connection.onPacketTooBig((int) Math.min(header.mtu(), TcpSettings.MOST_MTU), quoted.sequence());
        } else if (connection.state() == TcpState.SYN_SENT && header.code() == Icmpv6Header.PORT_UNREACHABLE) {
            // RFC 9293 section 3.9.2.2 [note]: the other codes may be transient, and the SYN is repeated.
            connection.fail(TcpEnd.UNREACHABLE);
        }
        return connection;
    }
}
