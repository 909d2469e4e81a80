package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An ARP packet for IPv4 over Ethernet.
 *
 * <pre>
 *   | hardware 1 | protocol 0x0800 | 6 | 4 | operation 2 | sender 6 + 4 | target 6 + 4 |
 * </pre>
 *
 * <p>A flyweight. Check {@link #fits} before use. Source: RFC 826.
 */
public final class ArpPacket {
    /** Bytes. */
    public static final int LENGTH = 28;

    public static final int REQUEST = 1;
    public static final int REPLY = 2;

    private static final long ETHERNET_AND_IPV4 = 0x0001_0800_0604L;
    private static final int SENDER = 8;
    private static final int SENDER_IP = 14;
    private static final int TARGET = 18;
    private static final int TARGET_IP = 24;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Points this flyweight at the packet that starts at {@code offset}. */
    public ArpPacket wrap(MemorySegment newSegment, long newOffset) {
        segment = newSegment;
        offset = newOffset;
        return this;
    }

    /** Whether {@code available} bytes hold a packet for IPv4 over Ethernet. */
    public boolean fits(long available) {
        return available >= LENGTH && EthernetHeader.address(segment, offset) == ETHERNET_AND_IPV4;
    }

    /** Writes everything but the addresses. */
    public ArpPacket write(int operation) {
        EthernetHeader.address(segment, offset, ETHERNET_AND_IPV4);
        segment.set(U16, offset + 6, (short) operation);
        return this;
    }

    /** Writes the addresses of the sender. */
    public ArpPacket sender(long hardware, int ip) {
        EthernetHeader.address(segment, offset + SENDER, hardware);
        segment.set(U32, offset + SENDER_IP, ip);
        return this;
    }

    /** Writes the addresses of the target; the hardware address is 0 in a request. */
    public ArpPacket target(long hardware, int ip) {
        EthernetHeader.address(segment, offset + TARGET, hardware);
        segment.set(U32, offset + TARGET_IP, ip);
        return this;
    }

    /** Operation. */
    public int operation() {
        return segment.get(U16, offset + 6) & 0xffff;
    }

    /** Hardware address of the sender. */
    public long sender() {
        return EthernetHeader.address(segment, offset + SENDER);
    }

    /** IPv4 address of the sender. */
    public int senderIp() {
        return segment.get(U32, offset + SENDER_IP);
    }

    /** Hardware address of the target. */
    public long target() {
        return EthernetHeader.address(segment, offset + TARGET);
    }

    /** IPv4 address of the target. */
    public int targetIp() {
        return segment.get(U32, offset + TARGET_IP);
    }

    /** Appends for example {@code ARP request 10.0.0.1 02:00:00:00:00:01 > 10.0.0.2 00:00:00:00:00:00}. */
    public StringBuilder describe(StringBuilder out) {
        switch (operation()) {
            case REQUEST -> out.append("ARP request ");
            case REPLY -> out.append("ARP reply ");
            default -> out.append("ARP operation=").append(operation()).append(' ');
        }
        EthernetHeader.describe(Ipv4Header.address(out, senderIp()).append(' '), sender());
        return EthernetHeader.describe(
                Ipv4Header.address(out.append(" > "), targetIp()).append(' '), target());
    }
}
