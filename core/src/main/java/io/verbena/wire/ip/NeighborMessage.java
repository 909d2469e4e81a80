package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A Neighbor Solicitation or Neighbor Advertisement of ICMPv6, on Ethernet.
 *
 * <pre>
 *   | {@link Icmpv6Header} 4 | flags R S O, reserved 4 | Target Address 16 | options: type 1, length 1 in 8 bytes, ... |
 * </pre>
 *
 * <p>A flyweight. Check {@link #fits} before use. Source: RFC 4861 sections 4.3, 4.4 and 4.6.1.
 */
public final class NeighborMessage {
    /** Bytes without options. */
    public static final int LENGTH = 24;

    /** Bytes with one link-layer address. */
    public static final int WITH_ADDRESS = LENGTH + 8;

    public static final int SOLICITATION = 135;
    public static final int ADVERTISEMENT = 136;

    /** The hop limit of all these messages: a packet from another link cannot have it (RFC 4861 section 3.1). */
    public static final int HOP_LIMIT = 255;

    /** The flags of an advertisement: an answer, and one that replaces a known address. */
    public static final int SOLICITED = 0x4000_0000;

    public static final int OVERRIDE = 0x2000_0000;

    /** Kinds of option. */
    public static final int SOURCE_ADDRESS = 1;

    public static final int TARGET_ADDRESS = 2;

    /** Result of {@link #linkAddress} without such an option. */
    public static final long ABSENT = -1;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;
    private long end;

    /** Points this flyweight at the message from {@code from} to {@code to}. */
    public NeighborMessage wrap(MemorySegment newSegment, long from, long to) {
        segment = newSegment;
        offset = from;
        end = to;
        return this;
    }

    /** Whether the bytes are a message whose options are well formed: RFC 4861 sections 7.1.1 and 7.1.2. */
    public boolean fits() {
        if (end - offset < LENGTH || segment.get(U8, offset + 1) != 0) {
            return false;
        }
        long at = offset + LENGTH;
        while (end - at >= 2) {
            int bytes = optionBytes(at);
            if (bytes == 0 || bytes > end - at) {
                return false;
            }
            at += bytes;
        }
        return at == end && !Ipv6Header.isMulticast(targetHigh());
    }

    private int optionBytes(long at) {
        return (segment.get(U8, at + 1) & 0xff) * 8;
    }

    /** Type. */
    public int type() {
        return segment.get(U8, offset) & 0xff;
    }

    /** Flags of an advertisement. */
    public int flags() {
        return segment.get(U32, offset + 4);
    }

    /** The first eight bytes of Target Address. */
    public long targetHigh() {
        return segment.get(U64, offset + 8);
    }

    /** The last eight bytes of Target Address. */
    public long targetLow() {
        return segment.get(U64, offset + 16);
    }

    /** The Ethernet address in the first option of this kind, or {@link #ABSENT}. */
    public long linkAddress(int kind) {
        for (long at = offset + LENGTH; end - at >= 8; at += optionBytes(at)) {
            if ((segment.get(U8, at) & 0xff) == kind && optionBytes(at) == 8) {
                return address(at + 2);
            }
        }
        return ABSENT;
    }

    private long address(long at) {
        return (long) (segment.get(U16, at) & 0xffff) << Integer.SIZE | segment.get(U32, at + 2) & 0xffff_ffffL;
    }

    /** Writes everything but the options and the checksum. */
    public NeighborMessage write(int type, int flags, long targetHigh, long targetLow) {
        segment.set(U32, offset, type << 24);
        segment.set(U32, offset + 4, flags);
        segment.set(U64, offset + 8, targetHigh);
        segment.set(U64, offset + 16, targetLow);
        return this;
    }

    /** Writes a link-layer address as the only option. */
    public NeighborMessage linkAddress(int kind, long address) {
        segment.set(U8, offset + LENGTH, (byte) kind);
        segment.set(U8, offset + LENGTH + 1, (byte) 1);
        segment.set(U16, offset + LENGTH + 2, (short) (address >>> Integer.SIZE));
        segment.set(U32, offset + LENGTH + 4, (int) address);
        return this;
    }

    /** Appends for example {@code ND solicitation fd77:0:0:0:0:0:0:1 flags=0x0 source=02:00:00:00:00:01}. */
    public StringBuilder describe(StringBuilder out) {
        out.append("ND ").append(type() == SOLICITATION ? "solicitation " : "advertisement ");
        Ipv6Header.address(out, targetHigh(), targetLow());
        out.append(" flags=0x").append(Integer.toHexString(flags() >>> 28));
        describe(out, " source=", linkAddress(SOURCE_ADDRESS));
        return describe(out, " target=", linkAddress(TARGET_ADDRESS));
    }

    private static StringBuilder describe(StringBuilder out, String name, long address) {
        return address == ABSENT ? out : EthernetHeader.describe(out.append(name), address);
    }
}
