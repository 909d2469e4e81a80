package io.verbena.rnic.ib.terms;

import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.ib.settings.AddressPair;
import io.verbena.port.Addresses;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The addresses that a side names besides the one of the connection, so that paths lead from and to them. They
 * follow the private
 * data of {@link PaddedData}, as many as it leaves space for, in 4 bytes each over IPv4 and 16 over IPv6, and are
 * stated by a bit of
 * the offers:
 *
 * <pre>
 *   | data | zeros | address | ... | number of addresses | 'V' | 'b' | offers | length |
 * </pre>
 *
 * @param ofThisSide number of addresses that this side has named
 * @param ofPeer addresses that the peer has named, each in two words
 */
record FurtherAddresses(int ofThisSide, List<PacketPath> ofPeer) {

    /** Most further addresses of a side. */
    static final int MOST = 3;

    /** In the offers: addresses are named. */
    private static final int NAMED = 8;

    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    /** The mark, and the number of addresses. */
    private static final int END_BYTES = 5;

    private static final long IPV4_PREFIX = 0xffff_0000_0000L;
    private static final long IPV4_BITS = 0xffff_ffffL;
    private static final int IPV4_LOOPBACK = 127;
    private static final int FIRST_MULTICAST = 224;
    private static final int IPV6_MULTICAST = 0xff;

    /** How many addresses a field has space for that has a mark and this much before its zeros. */
    static int space(int fieldBytes, int usedBytes, boolean ipv4) {
        return Math.clamp((fieldBytes - END_BYTES - usedBytes) / addressBytes(ipv4), 0, MOST);
    }

    private static int addressBytes(boolean ipv4) {
        return ipv4 ? IPV4_BYTES : IPV6_BYTES;
    }

    /** Names addresses in a field, as many as it has space for. All are of the kind of the connection. */
    static byte[] name(byte[] field, int usedBytes, boolean ipv4, List<InetAddress> addresses) {
        int count = Math.min(addresses.size(), space(field.length, usedBytes, ipv4));
        if (count == 0) {
            return field;
        }
        byte[] named = field.clone();
        int end = named.length - END_BYTES;
        int bytes = count * addressBytes(ipv4);
        ByteBuffer to = ByteBuffer.wrap(named, end - bytes, bytes);
        for (InetAddress each : addresses.subList(0, count)) {
            if (ipv4) {
                to.putInt((int) Addresses.low(each));
            } else {
                to.putLong(Addresses.high(each)).putLong(Addresses.low(each));
            }
        }
        named[end] = (byte) count;
        named[named.length - 2] |= NAMED;
        return named;
    }

    /**
     * The addresses that a field names, or none if it is not well-formed.
     *
     * @param first bytes before the private data
     */
    static List<PacketPath> named(byte[] field, int first, boolean ipv4) {
        int end = field.length - END_BYTES;
        if ((PaddedData.offers(field) & NAMED) == 0) {
            return List.of();
        }
        int count = field[end] & 0xff;
        int used = first + (field[field.length - 1] & 0xff);
        if (count == 0 || count > space(field.length, used, ipv4)) {
            return List.of();
        }
        int bytes = count * addressBytes(ipv4);
        ByteBuffer from = ByteBuffer.wrap(field, end - bytes, bytes);
        List<PacketPath> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(
                    ipv4
                            ? new PacketPath(0, IPV4_PREFIX | from.getInt() & IPV4_BITS, 0, 0)
                            : new PacketPath(from.getLong(), from.getLong(), 0, 0));
        }
        return List.copyOf(all);
    }

    /**
     * The pairs of addresses, by number from 1. Those of each side take turns, so that both sides number them alike.
     * There are none
     * if the peer has named an address that no single host has, or that means this one.
     *
     * @param first the address of the connection
     */
    List<AddressPair> pairs(PacketPath first, RandomSource random) {
        for (PacketPath each : ofPeer) {
            if (each.ipv4() != first.ipv4() || !unicast(each) || loopback(each) && !loopback(first)) {
                return List.of();
            }
        }
        int ours = ofThisSide + 1;
        int theirs = ofPeer.size() + 1;
        List<AddressPair> all = new ArrayList<>();
        for (int i = 1; i < Math.max(ours, theirs); i++) {
            int to = i % theirs;
            if (to == 0) {
                all.add(new AddressPair(i % ours, 0, 0, random.nextLong()));
            } else {
                PacketPath named = ofPeer.get(to - 1);
                all.add(new AddressPair(i % ours, named.addressHigh(), named.addressLow(), random.nextLong()));
            }
        }
        return all;
    }

    private static boolean unicast(PacketPath address) {
        if (address.ipv4()) {
            int begin = firstByte(address);
            return begin > 0 && begin < FIRST_MULTICAST;
        }
        boolean any = (address.addressHigh() | address.addressLow()) == 0;
        return !any && address.addressHigh() >>> 56 != IPV6_MULTICAST;
    }

    private static boolean loopback(PacketPath address) {
        return address.ipv4()
                ? firstByte(address) == IPV4_LOOPBACK
                : address.addressHigh() == 0 && address.addressLow() == 1;
    }

    private static int firstByte(PacketPath ipv4) {
        return (int) (ipv4.addressLow() >>> 24) & 0xff;
    }
}
