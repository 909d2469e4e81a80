package io.verbena.tcp.ip;

import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One version of IP for a host with one address: the header of packets in both directions, the pseudo-header, and ICMP. One object for all
 * packets.
 */
public sealed interface IpLayer permits Ipv4Layer, Ipv6Layer {

    /** Bytes of the header of a packet that this host sends. */
    int headerBytes();

    /** Input: points at a packet; returns whether it is whole, well formed, and from one host to this one. */
    boolean wrap(MemorySegment memory, long from, long to);

    /** Input: the protocol of the content. */
    int protocol();

    /** Input: offset of the content. */
    long content();

    /** Input: end of the content. */
    long end();

    /** Input: the first word of the address of the sender, see {@link IpAddress}. */
    long sourceHigh();

    /** Input: the second word. */
    long sourceLow();

    /** Input: DSCP and ECN bits. */
    int trafficClass();

    /** Input: the sum of the pseudo-header of the content. */
    long pseudoHeader();

    /** Whether a protocol is the ICMP of this version. */
    boolean isIcmp(int protocol);

    /** Input: processes the ICMP message in the packet; returns the connection that it has changed, or null. */
    @Nullable
    TcpConnection onIcmp(MemorySegment memory);

    /** Output: writes a header; content follows. */
    void write(MemorySegment memory, long at, FlowKey flow, int protocol, int contentBytes, int trafficClass);

    /** Output: the sum of the pseudo-header of a packet of TCP. */
    long pseudoHeader(FlowKey flow, int contentBytes);
}
