package io.verbena.wire.ib;

import io.verbena.base.PacketPath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The invariant CRC of a RoCEv2 packet, which covers all fields that routers do not change.
 *
 * <pre>
 *   8 bytes ff | IP header | UDP header | BTH .. payload and padding | ICRC
 *              |---------- masked ------|-- byte 4 masked -----------|
 * </pre>
 *
 * Fields that a router may change are replaced by ones: TOS, TTL and header checksum of IPv4; traffic class, flow label
 * and hop limit of IPv6; the UDP checksum; and the byte of the BTH with FECN and BECN. The first eight bytes replace a
 * Local Route Header. The sum is the CRC-32 of Ethernet, least significant byte first on the wire. It covers the rest
 * of the IP header: the addresses and, in IPv4, the identification, which a plain UDP socket can neither set nor read.
 *
 * <p><b>Solving the identification.</b> CRC is linear. The difference between the sum that arrived and the sum with
 * identification 0 must be the image of a 16-bit number, and that image depends only on the number of bytes after the
 * field. {@link #solve} inverts it with one table per length. This weakens the check from 32 bits to 16: one of 65,536
 * damaged packets passes, unless the caller also requires increasing identifications.
 *
 * <p>Belongs to one engine. Source: InfiniBand architecture specification, volume 1, section 7.8.1, and annex A17.3.3.
 */
public final class Icrc {
    /** Length of the sum in bytes. It follows the padding. */
    public static final int LENGTH = 4;

    /** The result of {@link #solve} if no identification matches the sum. */
    public static final int NO_IDENTIFICATION = -1;

    private static final int LRH_BYTES = 8;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int DONT_FRAGMENT = 0x4000;
    /** Byte 4 of the BTH, in its first eight bytes. */
    private static final long BTH_MASK = 0xff00_0000L;
    /** Up to here tables are faster than {@link CRC32}: 36 B take a third of its time, 192 B nine tenths (2026-11-27). */
    private static final int SHORT_BYTES = 192;
    /** {@link CRC32} sums what is before and after such a boundary one byte at a time. Slabs begin at one. */
    private static final int ALIGNMENT = 16;
    /** Summed by one call of {@link CRC32}: the largest path MTU. */
    private static final int MOST_BYTES = 4096;

    /** The longest packet: path MTU 4096 and the longest headers. */
    private static final int LARGEST = 4096 + 128;

    private static final ValueLayout.OfInt LITTLE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CRC32 crc = new CRC32();
    private final FlowSums flows = new FlowSums();
    /** Indexed by length in units of the alignment. */
    private final @Nullable CrcJump[] jumps = new CrcJump[MOST_BYTES / ALIGNMENT + 1];
    /** Indexed by length in words: padding makes the length of every packet a multiple of 4 bytes. */
    private final @Nullable Inverse[] inverses = new Inverse[LARGEST / 4 + 1];

    /**
     * Computes the sum of a packet.
     *
     * @param packet contains the packet, starting with its BTH; in big-endian order
     * @param offset offset of the BTH
     * @param lengthBytes of BTH, headers, payload and padding, without the ICRC
     * @param flow the addresses and ports
     * @param identification of IPv4; ignored for IPv6
     * @return the sum in the byte order of the wire, least significant byte first
     */
    public int compute(ByteBuffer packet, int offset, int lengthBytes, Flow flow, int identification) {
        packet.clear();
        int state = flows.after(flow, lengthBytes + LENGTH, packet.getLong(offset) | BTH_MASK, identification);
        int from = offset + Long.BYTES;
        int to = offset + lengthBytes;
        while (to - from > SHORT_BYTES) {
            int begin = from + (-from & ALIGNMENT - 1);
            int end = Math.min(begin + MOST_BYTES, to & -ALIGNMENT);
            state = ShortCrc32.update(state, packet, from, begin);
            state = jump(end - begin).after(sum(packet.limit(end).position(begin)), state);
            packet.clear();
            from = end;
        }
        return ShortCrc32.value(ShortCrc32.update(state, packet, from, to));
    }

    private int sum(ByteBuffer bytes) {
        crc.reset();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private CrcJump jump(int bytes) {
        CrcJump jump = jumps[bytes / ALIGNMENT];
        if (jump == null) {
            jump = new CrcJump(crc, bytes);
            jumps[bytes / ALIGNMENT] = jump;
        }
        return jump;
    }

    /** Writes the sum after a packet. */
    public static void write(MemorySegment segment, long offset, int icrc) {
        segment.set(LITTLE, offset, icrc);
    }

    /** Reads the sum of a packet. */
    public static int read(MemorySegment segment, long offset) {
        return segment.get(LITTLE, offset);
    }

    /**
     * The IPv4 identification with which a sum is correct.
     *
     * @param lengthBytes of BTH, headers, payload and padding, without the ICRC
     * @param difference the received sum xor {@link #compute} with identification 0
     * @return 0 to 65535, or {@link #NO_IDENTIFICATION}
     */
    public int solve(int lengthBytes, int difference) {
        if (lengthBytes > LARGEST || (lengthBytes & 3) != 0) {
            return NO_IDENTIFICATION;
        }
        Inverse inverse = inverses[lengthBytes / 4];
        if (inverse == null) {
            inverse = new Inverse(crc, lengthBytes);
            inverses[lengthBytes / 4] = inverse;
        }
        return inverse.solve(difference);
    }

    /** The addresses and ports of a flow in one direction, as in the IP and UDP headers. */
    public static final class Flow {
        /** The most bytes before the BTH. */
        static final int MOST_BYTES = LRH_BYTES + IPV6_BYTES + UDP_BYTES;
        /** Bytes from the identification of IPv4 to the BTH. */
        static final int FROM_IDENTIFICATION = IPV4_BYTES - 4 + UDP_BYTES;

        private long sourceHigh;
        private long sourceLow;
        private long targetHigh;
        private long targetLow;
        private int sourcePort;
        private int targetPort;

        /** Sets the sender; see {@link PacketPath#addressHigh} for the form of an address. */
        public Flow source(long high, long low, int port) {
            sourceHigh = high;
            sourceLow = low;
            sourcePort = port;
            return this;
        }

        /** Sets the receiver. */
        public Flow target(long high, long low, int port) {
            targetHigh = high;
            targetLow = low;
            targetPort = port;
            return this;
        }

        /** Whether packets of the flow carry IPv4 headers. */
        public boolean ipv4() {
            return PacketPath.ipv4(targetHigh, targetLow);
        }

        /** Whether another flow has the same addresses and ports. */
        boolean same(Flow other) {
            return targetLow == other.targetLow
                    && sourceLow == other.sourceLow
                    && targetHigh == other.targetHigh
                    && sourceHigh == other.sourceHigh
                    && sourcePort == other.sourcePort
                    && targetPort == other.targetPort;
        }

        /** Takes the addresses and ports of another flow. */
        void set(Flow other) {
            source(other.sourceHigh, other.sourceLow, other.sourcePort);
            target(other.targetHigh, other.targetLow, other.targetPort);
        }

        /** Writes the masked headers, with identification 0. Returns the offset of the BTH. */
        int write(ByteBuffer fields, int udpPayloadBytes) {
            int udpBytes = UDP_BYTES + udpPayloadBytes;
            fields.clear().putLong(-1L);
            if (ipv4()) {
                fields.put((byte) 0x45).put((byte) 0xff).putShort((short) (IPV4_BYTES + udpBytes));
                fields.putShort((short) 0).putShort((short) DONT_FRAGMENT);
                fields.put((byte) 0xff).put((byte) UDP_PROTOCOL).putShort((short) 0xffff);
                fields.putInt((int) sourceLow).putInt((int) targetLow);
            } else {
                fields.putInt(0x6fff_ffff).putShort((short) udpBytes);
                fields.put((byte) UDP_PROTOCOL).put((byte) 0xff);
                fields.putLong(sourceHigh).putLong(sourceLow);
                fields.putLong(targetHigh).putLong(targetLow);
            }
            fields.putShort((short) sourcePort).putShort((short) targetPort);
            fields.putShort((short) udpBytes).putShort((short) 0xffff);
            return fields.position();
        }
    }

    /**
     * The inverse of "identification to difference of sums" for packets of one length: a basis of the image, reduced so
     * that each vector has a leading bit that no other vector has.
     */
    private static final class Inverse {
        private static final int BITS = 16;

        private final int[] vector = new int[BITS];
        private final int[] origin = new int[BITS];

        Inverse(CRC32 crc, int lengthBytes) {
            int behind = Flow.FROM_IDENTIFICATION + lengthBytes;
            byte[] message = new byte[behind];
            int nothing = CrcJump.sum(crc, message);
            for (int bit = 0; bit < BITS; bit++) {
                message[0] = (byte) (1 << bit >>> 8);
                message[1] = (byte) (1 << bit);
                insert(CrcJump.sum(crc, message) ^ nothing, 1 << bit);
            }
        }

        private void insert(int image, int identification) {
            int reduced = image;
            int from = identification;
            for (int i = 0; i < BITS; i++) {
                if (vector[i] != 0 && (reduced & Integer.highestOneBit(vector[i])) != 0) {
                    reduced ^= vector[i];
                    from ^= origin[i];
                }
            }
            for (int i = 0; i < BITS; i++) {
                if (vector[i] == 0) {
                    vector[i] = reduced;
                    origin[i] = from;
                    break;
                }
                if ((vector[i] & Integer.highestOneBit(reduced)) != 0) {
                    vector[i] ^= reduced;
                    origin[i] ^= from;
                }
            }
        }

        int solve(int difference) {
            int rest = difference;
            int identification = 0;
            for (int i = 0; i < BITS; i++) {
                if ((rest & Integer.highestOneBit(vector[i])) != 0) {
                    rest ^= vector[i];
                    identification ^= origin[i];
                }
            }
            return rest == 0 ? identification : NO_IDENTIFICATION;
        }
    }
}
