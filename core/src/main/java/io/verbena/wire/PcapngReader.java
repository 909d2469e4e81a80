package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A cursor over the packets of a pcapng file in memory, of either byte order and with any number of sections and
 * interfaces. Blocks without a packet are skipped. Any input gives an {@link Outcome}, never an exception.
 *
 * <p>After {@link Outcome#PACKET} the accessors return the location of the packet; nothing is copied. One thread.
 */
public final class PcapngReader {
    /** Result of {@link #next}. */
    public enum Outcome {
        /** A packet. */
        PACKET,
        /** The regular end of the file. */
        END,
        /** The file is not pcapng, or is cut or inconsistent here; there is nothing more. */
        MALFORMED
    }

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16_LE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort U16_BE = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32_LE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32_BE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int MIN_BLOCK = 12;
    private static final int MIN_SECTION_HEADER = 28;
    private static final int MIN_INTERFACE = 20;
    private static final int INTERFACE_OPTIONS = 16;
    private static final int MIN_ENHANCED = 32;
    private static final int ENHANCED_DATA = 28;
    private static final int MIN_SIMPLE = 16;
    private static final int SIMPLE_DATA = 12;
    private static final int MAX_INTERFACES = 4096;

    private final MemorySegment file;
    private long at;
    private boolean finished;
    private ValueLayout.OfShort u16 = U16_LE;
    private ValueLayout.OfInt u32 = U32_LE;
    private final List<PcapngInterface> interfaces = new ArrayList<>();

    private int linkType;
    private long timestampNs;
    private long packetOffset;
    private int packetLength;
    private long originalLength;

    /** A cursor before the first packet of the file, which may be a mapped file or {@code MemorySegment.ofArray}. */
    public PcapngReader(MemorySegment file) {
        this.file = file;
    }

    /** Moves to the next packet. After END or MALFORMED every further call returns END. */
    public Outcome next() {
        if (finished) {
            return Outcome.END;
        }
        while (at < file.byteSize()) {
            long length = blockLength();
            if (length < 0) {
                return malformed();
            }
            long block = at;
            at += length;
            switch (block(block, (int) length)) {
                case PACKET -> {
                    return Outcome.PACKET;
                }
                case MALFORMED -> {
                    return malformed();
                }
                case END -> {} // no packet in this block
            }
        }
        finished = true;
        return at == 0 ? Outcome.MALFORMED : Outcome.END;
    }

    private Outcome malformed() {
        finished = true;
        return Outcome.MALFORMED;
    }

    /** The length of the block at the cursor if it is complete and consistent; otherwise -1. Sets the byte order. */
    private long blockLength() {
        long left = file.byteSize() - at;
        if (left < MIN_BLOCK) {
            return -1;
        }
        if (file.get(U32_LE, at) == PcapngWriter.SECTION_HEADER) {
            int magic = file.get(U32_LE, at + 8);
            boolean little = magic == PcapngWriter.BYTE_ORDER_MAGIC;
            if (!little && magic != Integer.reverseBytes(PcapngWriter.BYTE_ORDER_MAGIC)) {
                return -1;
            }
            u16 = little ? U16_LE : U16_BE;
            u32 = little ? U32_LE : U32_BE;
        } else if (at == 0) {
            return -1;
        }
        long length = Integer.toUnsignedLong(file.get(u32, at + 4));
        boolean fits = length >= MIN_BLOCK && length <= left && length <= Integer.MAX_VALUE && (length & 3) == 0;
        return fits && Integer.toUnsignedLong(file.get(u32, at + length - 4)) == length ? length : -1;
    }

    /** PACKET, MALFORMED, or END for a block without a packet. */
    private Outcome block(long block, int length) {
        return switch (file.get(u32, block)) {
            case PcapngWriter.SECTION_HEADER -> {
                interfaces.clear();
                yield length < MIN_SECTION_HEADER ? Outcome.MALFORMED : Outcome.END;
            }
            case PcapngWriter.INTERFACE_DESCRIPTION -> interfaceBlock(block, length);
            case PcapngWriter.ENHANCED_PACKET -> enhancedPacket(block, length);
            case PcapngWriter.SIMPLE_PACKET -> simplePacket(block, length);
            default -> Outcome.END;
        };
    }

    private Outcome interfaceBlock(long block, int length) {
        if (length < MIN_INTERFACE || interfaces.size() == MAX_INTERFACES) {
            return Outcome.MALFORMED;
        }
        int resolution = PcapngInterface.MICROSECONDS;
        long offsetS = 0;
        long option = block + INTERFACE_OPTIONS;
        long end = block + length - 4;
        while (end - option >= 4) {
            int code = Short.toUnsignedInt(file.get(u16, option));
            int valueLength = Short.toUnsignedInt(file.get(u16, option + 2));
            long value = option + 4;
            if (code == PcapngWriter.OPTION_END || valueLength > end - value) {
                break;
            }
            if (code == PcapngWriter.OPTION_TIME_RESOLUTION && valueLength >= 1) {
                resolution = file.get(U8, value) & 0xff;
            } else if (code == PcapngWriter.OPTION_TIME_OFFSET && valueLength >= 8) {
                offsetS = long64(value);
            }
            option = value + (valueLength + 3 & ~3);
        }
        int type = Short.toUnsignedInt(file.get(u16, block + 8));
        interfaces.add(new PcapngInterface(type, resolution, offsetS));
        return Outcome.END;
    }

    private long long64(long offset) {
        long first = Integer.toUnsignedLong(file.get(u32, offset));
        long second = Integer.toUnsignedLong(file.get(u32, offset + 4));
        return u32.order() == ByteOrder.LITTLE_ENDIAN ? second << 32 | first : first << 32 | second;
    }

    private Outcome enhancedPacket(long block, int length) {
        if (length < MIN_ENHANCED) {
            return Outcome.MALFORMED;
        }
        int from = file.get(u32, block + 8);
        long captured = Integer.toUnsignedLong(file.get(u32, block + 20));
        if (from < 0 || from >= interfaces.size() || captured > length - MIN_ENHANCED) {
            return Outcome.MALFORMED;
        }
        long high = Integer.toUnsignedLong(file.get(u32, block + 12));
        long low = Integer.toUnsignedLong(file.get(u32, block + 16));
        linkType = interfaces.get(from).linkType();
        timestampNs = interfaces.get(from).timestampNs(high << 32 | low);
        packetOffset = block + ENHANCED_DATA;
        packetLength = (int) captured;
        originalLength = Integer.toUnsignedLong(file.get(u32, block + 24));
        return Outcome.PACKET;
    }

    private Outcome simplePacket(long block, int length) {
        if (length < MIN_SIMPLE || interfaces.isEmpty()) {
            return Outcome.MALFORMED;
        }
        linkType = interfaces.getFirst().linkType();
        timestampNs = 0;
        packetOffset = block + SIMPLE_DATA;
        originalLength = Integer.toUnsignedLong(file.get(u32, block + 8));
        packetLength = (int) Math.min(originalLength, length - MIN_SIMPLE);
        return Outcome.PACKET;
    }

    /** Link type of the packet; see {@link PcapngWriter#ETHERNET}. */
    public int linkType() {
        return linkType;
    }

    /** Time stamp in nanoseconds, usually since 1970. */
    public long timestampNs() {
        return timestampNs;
    }

    /** Where the packet starts in the file. */
    public long packetOffset() {
        return packetOffset;
    }

    /** Bytes captured. */
    public int packetLength() {
        return packetLength;
    }

    /** Bytes the packet had, which may be more than were captured. */
    public long originalLength() {
        return originalLength;
    }
}
