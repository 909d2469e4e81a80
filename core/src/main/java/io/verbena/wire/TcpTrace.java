package io.verbena.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Presents the two byte streams of one connection as Ethernet frames with IPv4 or IPv6 and TCP headers, so that tshark
 * reassembles and dissects them, although no TCP packets were captured.
 *
 * <p>Call {@link #open} first, then {@link #data} in the order of the bytes, finally {@link #fin} or {@link #rst}.
 * Sequence numbers follow TCP, checksums are correct, and an acknowledgement covers everything that the other side has
 * sent so far. One thread; several traces may share a writer if their addresses or ports differ.
 *
 * <p>Source of the headers: RFC 791, RFC 8200, RFC 9293; the window scale option: RFC 7323.
 */
public final class TcpTrace {
    /** The sender of bytes. */
    public enum Side {
        /** The side that opened the connection. */
        INITIATOR,
        /** The side that listened. */
        RESPONDER
    }

    /** Maximum payload of one packet in bytes, limited by the total length field of IPv4. */
    public static final int MAX_SEGMENT = 65495;

    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int TCP = 20;
    private static final int SYN_OPTIONS = 8;
    private static final int TCP_PROTOCOL = 6;
    private static final int TTL = 64;
    private static final int WINDOW_SHIFT = 14;

    private static final int FIN_FLAG = 0x01;
    private static final int SYN_FLAG = 0x02;
    private static final int RST_FLAG = 0x04;
    private static final int PSH_FLAG = 0x08;
    private static final int ACK_FLAG = 0x10;

    /** What one side's headers need. */
    private static final class Endpoint {
        final byte[] address;
        final int port;
        final byte macTail;
        int sequence;

        Endpoint(byte[] address, int port, int macTail, int sequence) {
            this.address = address;
            this.port = port;
            this.macTail = (byte) macTail;
            this.sequence = sequence;
        }
    }

    private final PcapngWriter out;
    private final int mss;
    private final boolean ipv6;
    private final int ipLength;
    private final Endpoint initiator;
    private final Endpoint responder;
    private final ByteBuffer packet;
    private final MemorySegment packetSegment;
    private int identification;
    private long missingPackets;

    /**
     * Creates a trace of one connection.
     *
     * @param initiator address and port, resolved; if only one of the two is IPv6, the other is shown as mapped address
     * @param responder address and port, resolved
     * @param mss payload bytes per packet, 1 to {@link #MAX_SEGMENT}; longer data is split
     */
    public TcpTrace(PcapngWriter out, InetSocketAddress initiator, InetSocketAddress responder, int mss) {
        this(out, initiator, responder, mss, scratch(mss));
    }

    /** Creates a trace with a packet buffer that traces share; see {@link #scratch}. */
    public TcpTrace(
            PcapngWriter out, InetSocketAddress initiator, InetSocketAddress responder, int mss, ByteBuffer scratch) {
        if (mss < 1 || mss > MAX_SEGMENT) {
            throw new IllegalArgumentException("mss must be between 1 and " + MAX_SEGMENT + ", not " + mss);
        }
        byte[] first = addressOf(initiator);
        byte[] second = addressOf(responder);
        this.out = out;
        this.mss = mss;
        this.ipv6 = first.length != 4 || second.length != 4;
        this.ipLength = ipv6 ? IPV6 : IPV4;
        this.initiator = new Endpoint(ipv6 ? mapped(first) : first, initiator.getPort(), 1, 0x1000_0000);
        this.responder = new Endpoint(ipv6 ? mapped(second) : second, responder.getPort(), 2, 0x2000_0000);
        this.packet = scratch;
        // Resets position and limit, which another trace may have changed.
        this.packetSegment = MemorySegment.ofBuffer(scratch.duplicate().clear());
    }

    /** A packet buffer, which traces of one thread may share. */
    public static ByteBuffer scratch(int mss) {
        return ByteBuffer.allocate(ETHERNET + IPV6 + TCP + Math.max(SYN_OPTIONS, mss));
    }

    /** Maximum number of bytes of a packet with this payload in the file. */
    public static int packetBytes(int payloadBytes) {
        return PcapngWriter.packetBytes(ETHERNET + IPV6 + TCP + SYN_OPTIONS + payloadBytes);
    }

    private static byte[] addressOf(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(address + " is not resolved: resolve it first");
        }
        return address.getAddress().getAddress();
    }

    private static byte[] mapped(byte[] address) {
        if (address.length != 4) {
            return address;
        }
        byte[] wide = new byte[16];
        wide[10] = (byte) 0xff;
        wide[11] = (byte) 0xff;
        System.arraycopy(address, 0, wide, 12, 4);
        return wide;
    }

    /** Writes the three packets of TCP's handshake. */
    public void open(long nowNs) throws IOException {
        emit(Side.INITIATOR, SYN_FLAG, 0, 0, nowNs);
        emit(Side.RESPONDER, SYN_FLAG | ACK_FLAG, 0, 0, nowNs);
        emit(Side.INITIATOR, ACK_FLAG, 0, 0, nowNs);
    }

    /** Writes {@code lengthBytes} bytes that {@code from} sent, in as many packets as they need. */
    public void data(Side from, MemorySegment bytes, long offset, long lengthBytes, long nowNs) throws IOException {
        for (long done = 0; done < lengthBytes; ) {
            int part = (int) Math.min(mss, lengthBytes - done);
            MemorySegment.copy(bytes, offset + done, packetSegment, ETHERNET + ipLength + TCP, part);
            emit(from, done + part == lengthBytes ? PSH_FLAG | ACK_FLAG : ACK_FLAG, part, part, nowNs);
            done += part;
        }
    }

    /**
     * Writes one packet of {@code lengthBytes} bytes that {@code from} sent, of which only the first
     * {@code capturedBytes} were captured; both are at most the maximum payload.
     */
    public void data(Side from, MemorySegment bytes, long offset, int capturedBytes, int lengthBytes, long nowNs)
            throws IOException {
        MemorySegment.copy(bytes, offset, packetSegment, ETHERNET + ipLength + TCP, capturedBytes);
        emit(from, PSH_FLAG | ACK_FLAG, capturedBytes, lengthBytes, nowNs);
    }

    /**
     * Records that sent bytes were not captured. The sequence numbers and the drop count of the next packet show it.
     *
     * @param missingBytes number of missing bytes of this side; negative before a segment that arrived out of order
     * @param packets number of missing packets of any connection since the last packet
     */
    public void missing(Side from, long missingBytes, long packets) {
        Endpoint source = from == Side.INITIATOR ? initiator : responder;
        source.sequence += (int) missingBytes;
        missingPackets += packets;
    }

    /** Writes all of {@code bytes}, which {@code from} sent. */
    public void data(Side from, byte[] bytes, long nowNs) throws IOException {
        data(from, MemorySegment.ofArray(bytes), 0, bytes.length, nowNs);
    }

    /** Writes the FIN of one side and the other's acknowledgement. */
    public void fin(Side from, long nowNs) throws IOException {
        emit(from, FIN_FLAG | ACK_FLAG, 0, 0, nowNs);
        emit(from == Side.INITIATOR ? Side.RESPONDER : Side.INITIATOR, ACK_FLAG, 0, 0, nowNs);
    }

    /** Writes a reset by one side. */
    public void rst(Side from, long nowNs) throws IOException {
        emit(from, RST_FLAG | ACK_FLAG, 0, 0, nowNs);
    }

    private void emit(Side from, int flags, int capturedLength, int payloadLength, long nowNs) throws IOException {
        Endpoint source = from == Side.INITIATOR ? initiator : responder;
        Endpoint target = from == Side.INITIATOR ? responder : initiator;
        int optionsLength = (flags & SYN_FLAG) != 0 ? SYN_OPTIONS : 0;
        int tcpLength = TCP + optionsLength + payloadLength;
        packet.clear();
        ethernet(source, target);
        if (ipv6) {
            ipv6(source, target, tcpLength);
        } else {
            ipv4(source, target, tcpLength);
        }
        tcp(source, target, flags, tcpLength, capturedLength == payloadLength);
        int head = ETHERNET + ipLength + TCP + optionsLength;
        out.packet(nowNs, packet.array(), 0, head + capturedLength, head + payloadLength, missingPackets);
        missingPackets = 0;
        source.sequence += payloadLength + ((flags & (SYN_FLAG | FIN_FLAG)) != 0 ? 1 : 0);
    }

    private void ethernet(Endpoint source, Endpoint target) {
        packet.putInt(0x02000000).put((byte) 0).put(target.macTail);
        packet.putInt(0x02000000).put((byte) 0).put(source.macTail);
        packet.putShort((short) (ipv6 ? 0x86dd : 0x0800));
    }

    private void ipv4(Endpoint source, Endpoint target, int tcpLength) {
        packet.putShort((short) 0x4500).putShort((short) (IPV4 + tcpLength));
        packet.putShort((short) identification++).putShort((short) 0x4000);
        packet.put((byte) TTL).put((byte) TCP_PROTOCOL).putShort((short) 0);
        packet.put(source.address).put(target.address);
        packet.putShort(ETHERNET + 10, (short) ~fold(sum(ETHERNET, IPV4)));
    }

    private void ipv6(Endpoint source, Endpoint target, int tcpLength) {
        packet.putInt(0x60000000).putShort((short) tcpLength);
        packet.put((byte) TCP_PROTOCOL).put((byte) TTL);
        packet.put(source.address).put(target.address);
    }

    private void tcp(Endpoint source, Endpoint target, int flags, int tcpLength, boolean whole) {
        boolean syn = (flags & SYN_FLAG) != 0;
        int headerWords = (TCP + (syn ? SYN_OPTIONS : 0)) / 4;
        int start = packet.position();
        packet.putShort((short) source.port).putShort((short) target.port);
        packet.putInt(source.sequence).putInt((flags & ACK_FLAG) != 0 ? target.sequence : 0);
        packet.putShort((short) (headerWords << 12 | flags)).putShort((short) 0xffff);
        packet.putInt(0);
        if (syn) {
            packet.put((byte) 2).put((byte) 4).putShort((short) mss);
            packet.put((byte) 1).put((byte) 3).put((byte) 3).put((byte) WINDOW_SHIFT);
        }
        if (!whole) {
            return; // the checksum of bytes that were not captured is unknown
        }
        // The pseudo header: both addresses (they precede the TCP header in either IP), protocol and length.
        int addressesLength = 2 * source.address.length;
        long sum = sum(start - addressesLength, addressesLength) + TCP_PROTOCOL + tcpLength + sum(start, tcpLength);
        packet.putShort(start + 16, (short) ~fold(sum));
    }

    /**
     * The sum of 16-bit words, added 32 bits at a time, which gives the same result after folding; an odd last byte is
     * the high half of a word.
     */
    private long sum(int from, int length) {
        long sum = 0;
        int at = from;
        int left = length;
        for (; left >= Integer.BYTES; left -= Integer.BYTES) {
            sum += packet.getInt(at) & 0xffff_ffffL;
            at += Integer.BYTES;
        }
        if (left >= Short.BYTES) {
            sum += packet.getShort(at) & 0xffff;
            at += Short.BYTES;
            left -= Short.BYTES;
        }
        return left == 0 ? sum : sum + ((packet.get(at) & 0xff) << 8);
    }

    private static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xffff) + (folded >>> 16);
        }
        return (int) folded;
    }
}
