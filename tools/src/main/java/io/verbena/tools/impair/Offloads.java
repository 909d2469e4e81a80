package io.verbena.tools.impair;

import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Does what a network card does with frames that a system left to it: completes checksums, and splits what has several segments, because a network
 * loses packets and not 64 KiB at a time.
 */
final class Offloads {

    /** Segments are datagrams of UDP; the virtio-net header of this project's own TCP never has this value. */
    private static final int UDP_SEGMENTS = 5;

    private static final int ECN_KIND = 0x80;

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
     * @throws IOException if it has segments that are neither those of TCP nor of UDP, with what to do
     */
    void complete(MemorySegment memory, byte[] frame, FrameTaker taker) throws IOException {
        header.wrap(memory, 0);
        int kind = header.segmentKind() & ~ECN_KIND;
        if (kind == VirtioNetHeader.NONE || header.segmentBytes() == 0) {
            if ((header.flags() & VirtioNetHeader.NEEDS_CHECKSUM) != 0) {
                checksum(frame, header.checksumStart(), header.checksumOffset());
            }
            taker.take(frame);
            return;
        }
        Segments.Protocol protocol = switch (kind) {
            case VirtioNetHeader.TCP_IPV4, VirtioNetHeader.TCP_IPV6 -> Segments.Protocol.TCP;
            case UDP_SEGMENTS -> Segments.Protocol.UDP;
            default ->
                throw new IOException("a frame has segments of kind " + kind
                        + ", which only a network card can split: turn this off at the sender with 'ethtool -K DEVICE"
                        + " gso off tso off'");
        };
        new Segments(frame, header.checksumStart(), protocol).split(header.segmentBytes(), taker);
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
}
