package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The variant CRC: the last two bytes of a packet on a link of a subnet. It covers everything before it, from the first byte of the
 * LRH to the end of the ICRC, and each link may compute it anew. Polynomial 0x100B, seed 0xFFFF, bits of a byte from the lowest
 * on, result inverted, least significant byte first on the wire.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 7.8.2.
 */
public final class Vcrc {
    /** Length in bytes. */
    public static final int LENGTH = 2;

    /** 0x100B with its bits reversed. */
    private static final int REVERSED_POLYNOMIAL = 0xd008;

    private static final int SEED = 0xffff;
    private static final char[] TABLE = table();
    private static final ValueLayout.OfShort LITTLE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Vcrc() {}

    private static char[] table() {
        char[] table = new char[256];
        for (int i = 0; i < table.length; i++) {
            int value = i;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : value >>> 1 ^ REVERSED_POLYNOMIAL;
            }
            table[i] = (char) value;
        }
        return table;
    }

    /** Computes the sum of {@code lengthBytes} from {@code offset} on. */
    public static int compute(MemorySegment packet, long offset, int lengthBytes) {
        int crc = SEED;
        for (long at = offset; at < offset + lengthBytes; at++) {
            crc = TABLE[(crc ^ packet.get(ValueLayout.JAVA_BYTE, at)) & 0xff] ^ crc >>> Byte.SIZE;
        }
        return crc ^ SEED;
    }

    /** Writes the sum after a packet. */
    public static void write(MemorySegment packet, long offset, int vcrc) {
        packet.set(LITTLE, offset, (short) vcrc);
    }

    /** Reads the sum of a packet. */
    public static int read(MemorySegment packet, long offset) {
        return packet.get(LITTLE, offset) & 0xffff;
    }
}
