package io.verbena.tools.impair;

import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Does what a network card does with frames that a system left to it: completes checksums, and splits a large segment of TCP, because a network
 * loses packets and not 64 KiB at a time.
 */
final class Offloads {

    private static final int SEQUENCE = 4;
    private static final int FLAGS = 13;
    private static final int CHECKSUM = 16;
    private static final int FIN_AND_PUSH = 9;
    private static final int CONGESTION_WINDOW_REDUCED = 0x80;
    private static final int ECN_KIND = 0x80;
    private static final int PROTOCOL_TCP = 6;

    private final VirtioNetHeader header = new VirtioNetHeader();

    /** Takes complete frames. */
    @FunctionalInterface
    interface FrameTaker {
        void take(byte[] frame);
    }

    /**
     * Passes a frame on as it would be on a wire.
     *
     * @param memory contains its virtio-net header, at the beginning
     * @throws IOException if it has segments that are not those of TCP, with what to do
     */
    void complete(MemorySegment memory, byte[] frame, FrameTaker taker) throws IOException {
        header.wrap(memory, 0);
        int kind = header.segmentKind() & ~ECN_KIND;
        if (kind == VirtioNetHeader.NONE || header.segmentBytes() == 0) {
            if ((header.flags() & VirtioNetHeader.NEEDS_CHECKSUM) != 0) {
                checksum(frame, header.checksumStart(), header.checksumOffset());
            }
            taker.take(frame);
        } else if (kind == VirtioNetHeader.TCP_IPV4 || kind == VirtioNetHeader.TCP_IPV6) {
            split(frame, header.checksumStart(), header.segmentBytes(), kind == VirtioNetHeader.TCP_IPV6, taker);
        } else {
            throw new IOException("a frame has segments of kind " + kind + ", which only a network card can split: turn this"
                    + " off at the sender with 'ethtool -K DEVICE gso off tso off tx-udp-segmentation off'");
        }
    }

    /** A frame whose numbers are out of range is left as it is: its receiver rejects it. */
    private static void checksum(byte[] frame, int start, int offset) {
        int field = start + offset;
        if (start >= frame.length || field + 2 > frame.length) {
            return;
        }
        long sum = InternetChecksum.sum(MemorySegment.ofArray(frame), start, frame.length - start);
        int value = InternetChecksum.of(sum);
        FrameReader.u16(frame, field, value == 0 ? 0xffff : value);
    }

    private static void split(byte[] frame, int tcp, int size, boolean ipv6, FrameTaker taker) {
        int data = tcp + TCP_LEAST <= frame.length ? tcp + ((frame[tcp + 12] & 0xf0) >>> 2) : frame.length;
        int network = ipv6 ? tcp - Ipv6Header.LENGTH : networkOfIpv4(frame, tcp);
        if (network < 0 || data >= frame.length) {
            taker.take(frame);
            return;
        }
        int index = 0;
        for (int at = data; at < frame.length; at += size) {
            int bytes = Math.min(size, frame.length - at);
            byte[] segment = Arrays.copyOf(frame, data + bytes);
            System.arraycopy(frame, at, segment, data, bytes);
            FrameReader.u16(segment, network + (ipv6 ? 4 : 2), segment.length - (ipv6 ? tcp : network));
            tcp(segment, tcp, at - data, index == 0, at + bytes == frame.length);
            if (!ipv6) {
                FrameReader.u16(segment, network + 4, FrameReader.u16(frame, network + 4) + index);
            }
            sums(segment, network, tcp, ipv6);
            index++;
            taker.take(segment);
        }
    }

    private static final int TCP_LEAST = 20;

    /** The offset of the header of IPv4 whose content begins at this offset; -1 if there is none. */
    private static int networkOfIpv4(byte[] frame, int tcp) {
        for (int network = tcp - 20; network >= Math.max(0, tcp - 60); network -= 4) {
            if (frame[network] >>> 4 == 4 && 4 * (frame[network] & 15) == tcp - network) {
                return network;
            }
        }
        return -1;
    }

    private static void tcp(byte[] segment, int tcp, int offset, boolean first, boolean last) {
        int sequence = (FrameReader.u16(segment, tcp + SEQUENCE) << 16
                        | FrameReader.u16(segment, tcp + SEQUENCE + 2))
                + offset;
        FrameReader.u16(segment, tcp + SEQUENCE, sequence >>> 16);
        FrameReader.u16(segment, tcp + SEQUENCE + 2, sequence);
        int clear = (last ? 0 : FIN_AND_PUSH) | (first ? 0 : CONGESTION_WINDOW_REDUCED);
        segment[tcp + FLAGS] &= (byte) ~clear;
    }

    private static void sums(byte[] segment, int network, int tcp, boolean ipv6) {
        MemorySegment memory = MemorySegment.ofArray(segment);
        int length = segment.length - tcp;
        FrameReader.u16(segment, tcp + CHECKSUM, 0);
        long pseudo = InternetChecksum.sum(memory, network + (ipv6 ? 8 : 12), ipv6 ? 32 : 8) + PROTOCOL_TCP + length;
        long sum = pseudo + InternetChecksum.sum(memory, tcp, length);
        FrameReader.u16(segment, tcp + CHECKSUM, InternetChecksum.of(sum));
        if (!ipv6) {
            FrameReader.u16(segment, network + 10, 0);
            FrameReader.u16(
                    segment, network + 10, InternetChecksum.of(InternetChecksum.sum(memory, network, tcp - network)));
        }
    }
}
