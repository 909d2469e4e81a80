package io.verbena.tools.exchange;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The GID of a port over UDP: its IPv6 address, or ::ffff:a.b.c.d for an IPv4 address. */
public final class Gid {

    /** Length of a GID. */
    public static final int BYTES = 16;

    private static final int IPV4_OFFSET = 12;

    private Gid() {}

    /** The GID of an address. */
    public static byte[] of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == BYTES) {
            return bytes;
        }
        byte[] mapped = new byte[BYTES];
        mapped[IPV4_OFFSET - 2] = (byte) 0xff;
        mapped[IPV4_OFFSET - 1] = (byte) 0xff;
        System.arraycopy(bytes, 0, mapped, IPV4_OFFSET, bytes.length);
        return mapped;
    }

    /** The address in a GID of 16 bytes. */
    public static InetAddress address(byte[] gid) {
        try {
            return InetAddress.getByAddress(gid);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + gid.length, e);
        }
    }
}
