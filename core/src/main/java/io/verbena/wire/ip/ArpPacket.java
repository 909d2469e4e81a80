package io.verbena.wire.ip;

import io.verbena.wire.Header;

/**
 * An ARP packet for IPv4 over Ethernet.
 *
 * <pre>
 *   | hardware 1 | protocol 0x0800 | 6 | 4 | operation 2 | sender 6 + 4 | target 6 + 4 |
 * </pre>
 *
 * <p>Source: RFC 826.
 */
public final class ArpPacket extends Header<ArpPacket> {
    /** Bytes. */
    public static final int LENGTH = 28;

    public static final int REQUEST = 1;
    public static final int REPLY = 2;

    private static final long ETHERNET_AND_IPV4 = 0x0001_0800_0604L;
    private static final int SENDER = 8;
    private static final int SENDER_IP = 14;
    private static final int TARGET = 18;
    private static final int TARGET_IP = 24;

    /** Whether {@code available} bytes hold a packet for IPv4 over Ethernet. */
    public boolean fits(long available) {
        return available >= LENGTH && u48(0) == ETHERNET_AND_IPV4;
    }

    /** Writes everything but the addresses. */
    public ArpPacket write(int operation) {
        u48(0, ETHERNET_AND_IPV4);
        return u16(6, operation);
    }

    /** Writes the addresses of the sender. */
    public ArpPacket sender(long hardware, int ip) {
        u48(SENDER, hardware);
        return u32(SENDER_IP, ip);
    }

    /** Writes the addresses of the target; the hardware address is 0 in a request. */
    public ArpPacket target(long hardware, int ip) {
        u48(TARGET, hardware);
        return u32(TARGET_IP, ip);
    }

    /** Operation. */
    public int operation() {
        return u16(6);
    }

    /** Hardware address of the sender. */
    public long sender() {
        return u48(SENDER);
    }

    /** IPv4 address of the sender. */
    public int senderIp() {
        return u32(SENDER_IP);
    }

    /** Hardware address of the target. */
    public long target() {
        return u48(TARGET);
    }

    /** IPv4 address of the target. */
    public int targetIp() {
        return u32(TARGET_IP);
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
