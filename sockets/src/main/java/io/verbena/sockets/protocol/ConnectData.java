package io.verbena.sockets.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;

/**
 * The private data of a connection request and of its reply: where the sender of it accepts data.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |    Version    |     Flags     |            Credits            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |  Extensions   |           Reserved            |   Map Size    |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                                                               |
 *  +              Address of the table of targets                  +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                     Key of the table                          |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                    Entries of the table                       |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                                                               |
 *  +                Address of the first target                    +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                   Key of the first target                     |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                 Length of the first target                    |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Multi-byte fields are in network byte order. librdmacm sends and ignores zero in the byte of the extensions, which
 * therefore exist only between two Verbenas. Source: librdmacm, {@code rsocket.c}, {@code struct rs_conn_data}.
 */
public final class ConnectData {

    /** Bytes. */
    public static final int LENGTH = 40;

    /** The only version. */
    static final int VERSION = 1;

    /** Flag: the sender reads its table of targets in big-endian byte order. */
    static final int BIG_ENDIAN = 1;

    /** Flag: the field Map Size is valid. librdmacm always sets it. */
    static final int HAS_MAP = 2;

    /** Extension: messages are immediate data on iWARP as well (RFC 7306). */
    static final int IMMEDIATE = 1;

    /** The end of a connection without a message is a reset for the sender, which needs no other notice of it. */
    static final int RESETS = 2;

    /** The sender provides space for the bytes that a closing peer has left ({@link StreamMessage#REST}). */
    static final int RESTS = 4;

    /** The sender takes small data in Sends when it has provided for them ({@link StreamMessage#SHORTS}). */
    static final int SHORTS = 8;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

    private static final int AT_VERSION = 0;
    private static final int AT_FLAGS = 1;
    private static final int AT_CREDITS = 2;
    private static final int AT_EXTENSIONS = 4;
    private static final int AT_MAP_SIZE = 7;
    private static final int AT_TABLE = 8;
    private static final int AT_TARGET = 24;

    private final MemorySegment segment;
    private final long offset;

    private ConnectData(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
    }

    /** Whether {@code available} bytes hold the data. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The data that start at {@code offset}; {@link #fits} must hold. */
    public static ConnectData at(MemorySegment segment, long offset) {
        return new ConnectData(segment, offset);
    }

    /** New data, all fields zero but the version. */
    static ConnectData create() {
        ConnectData data = at(MemorySegment.ofArray(new byte[LENGTH]), 0);
        data.segment.set(U8, AT_VERSION, (byte) VERSION);
        return data;
    }

    public byte[] toBytes() {
        return segment.asSlice(offset, LENGTH).toArray(U8);
    }

    public int version() {
        return Byte.toUnsignedInt(segment.get(U8, offset + AT_VERSION));
    }

    public int flags() {
        return Byte.toUnsignedInt(segment.get(U8, offset + AT_FLAGS));
    }

    ConnectData flags(int value) {
        segment.set(U8, offset + AT_FLAGS, (byte) value);
        return this;
    }

    /** Number of data messages that the sender of this accepts at first. */
    public int credits() {
        return Short.toUnsignedInt(segment.get(U16, offset + AT_CREDITS));
    }

    ConnectData credits(int value) {
        segment.set(U16, offset + AT_CREDITS, (short) value);
        return this;
    }

    public int extensions() {
        return Byte.toUnsignedInt(segment.get(U8, offset + AT_EXTENSIONS));
    }

    /**
     * Those of every Verbena, with immediate data or without. Small data in Sends need them: a Send without is data.
     */
    static int extensions(boolean immediate) {
        return RESETS | RESTS | (immediate ? IMMEDIATE | SHORTS : 0);
    }

    ConnectData extensions(int value) {
        segment.set(U8, offset + AT_EXTENSIONS, (byte) value);
        return this;
    }

    /** Number of regions that the peer may map for direct access; Verbena offers none. */
    public int mapSize() {
        return Byte.toUnsignedInt(segment.get(U8, offset + AT_MAP_SIZE));
    }

    public long tableAddress() {
        return segment.get(U64, offset + AT_TABLE);
    }

    public int tableKey() {
        return segment.get(U32, offset + AT_TABLE + Long.BYTES);
    }

    /** Number of entries of the table, unsigned. */
    public int tableEntries() {
        return segment.get(U32, offset + AT_TABLE + Long.BYTES + Integer.BYTES);
    }

    ConnectData table(long address, int key, int entries) {
        return triple(AT_TABLE, address, key, entries);
    }

    public long targetAddress() {
        return segment.get(U64, offset + AT_TARGET);
    }

    public int targetKey() {
        return segment.get(U32, offset + AT_TARGET + Long.BYTES);
    }

    /** Length of the first target in bytes, unsigned. */
    public int targetLength() {
        return segment.get(U32, offset + AT_TARGET + Long.BYTES + Integer.BYTES);
    }

    ConnectData target(long address, int key, int length) {
        return triple(AT_TARGET, address, key, length);
    }

    private ConnectData triple(int at, long address, int key, int number) {
        segment.set(U64, offset + at, address);
        segment.set(U32, offset + at + Long.BYTES, key);
        segment.set(U32, offset + at + Long.BYTES + Integer.BYTES, number);
        return this;
    }

    /** One line such as {@code version=1 flags=2 credits=384 extensions=0 map=0 table=… target=…}. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return "version=%d flags=%d credits=%d extensions=%d map=%d table=%s/%s*%d target=%s/%s+%d"
                .formatted(
                        version(),
                        flags(),
                        credits(),
                        extensions(),
                        mapSize(),
                        hex.toHexDigits(tableAddress()),
                        hex.toHexDigits(tableKey()),
                        Integer.toUnsignedLong(tableEntries()),
                        hex.toHexDigits(targetAddress()),
                        hex.toHexDigits(targetKey()),
                        Integer.toUnsignedLong(targetLength()));
    }
}
