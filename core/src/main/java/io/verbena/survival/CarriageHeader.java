package io.verbena.survival;

import io.verbena.wire.Header;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * What precedes all other private data of a Request or Reply if its sender offers that packets carry the messages of
 * the connection: this header, and an offer whose content belongs to the carrier.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                             Magic                             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |    Version    |    Length     |           Reserved            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class CarriageHeader extends Header<CarriageHeader> {
    /** Bytes. */
    public static final int LENGTH = 8;

    /** The value of {@link #magic}: "VBNP". */
    public static final int MAGIC = 0x56424e50;

    /** The value of {@link #version}. */
    public static final int VERSION = 1;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    public int magic() {
        return u32(0);
    }

    public CarriageHeader magic(int value) {
        return u32(0, value);
    }

    public int version() {
        return u8(4);
    }

    public CarriageHeader version(int value) {
        return u8(4, value);
    }

    /** Length of the offer. */
    public int length() {
        return u8(5);
    }

    public CarriageHeader length(int value) {
        return u8(5, value);
    }

    /** Appends one line such as {@code version=1 length=24}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("version=").append(version()).append(" length=").append(length());
    }

    // Private data.

    /** An offer, followed by other private data. */
    public static byte[] before(byte[] offer, byte[] data) {
        byte[] bytes = new byte[LENGTH + offer.length + data.length];
        new CarriageHeader()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .magic(MAGIC)
                .version(VERSION)
                .length(offer.length);
        System.arraycopy(offer, 0, bytes, LENGTH, offer.length);
        System.arraycopy(data, 0, bytes, LENGTH + offer.length, data.length);
        return bytes;
    }

    /** The offer at the head of private data; empty if there is none, or another version. */
    public static Optional<byte[]> offer(byte[] privateData) {
        int end = end(privateData);
        return end == 0 ? Optional.empty() : Optional.of(Arrays.copyOfRange(privateData, LENGTH, end));
    }

    /** Private data without an offer. */
    public static byte[] rest(byte[] privateData) {
        int end = end(privateData);
        return end == 0 ? privateData : Arrays.copyOfRange(privateData, end, privateData.length);
    }

    private static int end(byte[] privateData) {
        if (!fits(privateData.length)) {
            return 0;
        }
        CarriageHeader header = new CarriageHeader().wrap(MemorySegment.ofArray(privateData), 0);
        int end = LENGTH + header.length();
        return header.magic() == MAGIC && header.version() == VERSION && end <= privateData.length ? end : 0;
    }

    /** Whether private data begin as an offer does, whatever follows: those of a program must not. */
    public static boolean isMarked(byte[] privateData) {
        return privateData.length >= Integer.BYTES
                && new CarriageHeader()
                                .wrap(MemorySegment.ofArray(privateData), 0)
                                .magic()
                        == MAGIC;
    }
}
