package io.verbena.tools.impair;

import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Splits a frame with several segments of TCP or UDP into frames, each with headers and checksums of its own.
 *
 * <pre>
 *   | Ethernet | IP | TCP or UDP | segment | segment | .. | rest |
 * </pre>
 *
 * <p>The identification of IPv4 counts up, as it does where a system splits by itself: the ICRC of RoCEv2 covers it.
 */
final class Segments {

    private static final int SEQUENCE = 4;
    private static final int OFFSET = 12;
    private static final int FLAGS = 13;
    private static final int FIN_AND_PUSH = 9;
    private static final int CONGESTION_WINDOW_REDUCED = 0x80;
    private static final int LEAST_TCP = 20;
    private static final int LONGEST_IPV4 = 60;
    private static final int IDENTIFICATION = 4;
    private static final int ABSENT = -1;

    private final byte[] frame;
    private final int transport;
    private final Protocol protocol;
    private final boolean ipv6;
    private final int network;
    private final int data;

    /** What the segments belong to. */
    enum Protocol {
        TCP(6, 16),
        UDP(17, 6);

        private final int number;
        private final int checksumAt;

        Protocol(int number, int checksumAt) {
            this.number = number;
            this.checksumAt = checksumAt;
        }
    }

    /** The segments in a frame whose header of TCP or UDP begins at {@code transport}. */
    Segments(byte[] frame, int transport, Protocol protocol) {
        this.frame = frame;
        this.transport = transport;
        this.protocol = protocol;
        int ipv4At = ipv4At(frame, transport);
        this.ipv6 = ipv4At == ABSENT && ipv6At(frame, transport);
        this.network = ipv6 ? transport - Ipv6Header.LENGTH : ipv4At;
        this.data = transport + headerBytes();
    }

    private int headerBytes() {
        if (protocol == Protocol.UDP) {
            return FrameReader.UDP_BYTES;
        }
        return transport + LEAST_TCP <= frame.length ? (frame[transport + OFFSET] & 0xf0) >>> 2 : frame.length;
    }

    private static boolean ipv6At(byte[] frame, int transport) {
        int at = transport - Ipv6Header.LENGTH;
        return at >= 0 && transport <= frame.length && (frame[at] & 0xf0) == 0x60;
    }

    /** The offset of the header of IPv4 whose content begins at this offset. */
    private static int ipv4At(byte[] frame, int transport) {
        if (transport > frame.length) {
            return ABSENT;
        }
        for (int at = transport - Ipv4Header.LENGTH; at >= Math.max(0, transport - LONGEST_IPV4); at -= 4) {
            if ((frame[at] & 0xff) >>> 4 == 4 && 4 * (frame[at] & 15) == transport - at) {
                return at;
            }
        }
        return ABSENT;
    }

    /** Passes on one frame per segment of this many bytes; a frame that is not understood passes whole. */
    void split(int size, Offloads.FrameTaker taker) {
        if (network < 0 || data >= frame.length || protocol == Protocol.TCP && data < transport + LEAST_TCP) {
            taker.take(frame);
            return;
        }
        for (int index = 0, at = data; at < frame.length; index++, at += size) {
            taker.take(segment(index, at, Math.min(size, frame.length - at)));
        }
    }

    private byte[] segment(int index, int at, int bytes) {
        byte[] segment = Arrays.copyOf(frame, data + bytes);
        System.arraycopy(frame, at, segment, data, bytes);
        if (ipv6) {
            FrameReader.u16(segment, network + 4, segment.length - transport);
        } else {
            FrameReader.u16(segment, network + 2, segment.length - network);
            int first = FrameReader.u16(frame, network + IDENTIFICATION);
            FrameReader.u16(segment, network + IDENTIFICATION, first + index);
        }
        if (protocol == Protocol.UDP) {
            FrameReader.u16(segment, transport + 4, segment.length - transport);
        } else {
            number(segment, at - data);
            boolean last = at + bytes == frame.length;
            int clear = (last ? 0 : FIN_AND_PUSH) | (index == 0 ? 0 : CONGESTION_WINDOW_REDUCED);
            segment[transport + FLAGS] &= (byte) ~clear;
        }
        checksums(segment);
        return segment;
    }

    private void number(byte[] segment, int offset) {
        int at = transport + SEQUENCE;
        int number = (FrameReader.u16(segment, at) << 16 | FrameReader.u16(segment, at + 2)) + offset;
        FrameReader.u16(segment, at, number >>> 16);
        FrameReader.u16(segment, at + 2, number);
    }

    private void checksums(byte[] segment) {
        MemorySegment memory = MemorySegment.ofArray(segment);
        int field = transport + protocol.checksumAt;
        int length = segment.length - transport;
        FrameReader.u16(segment, field, 0);
        long addresses = InternetChecksum.sum(memory, network + (ipv6 ? 8 : 12), ipv6 ? 32 : 8);
        int sum = InternetChecksum.of(
                addresses + protocol.number + length + InternetChecksum.sum(memory, transport, length));
        FrameReader.u16(segment, field, sum == 0 && protocol == Protocol.UDP ? 0xffff : sum);
        if (!ipv6) {
            Ipv4Header header = new Ipv4Header().wrap(memory, network);
            header.addresses(header.source(), header.destination());
        }
    }
}
