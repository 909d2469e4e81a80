package io.verbena.hardware.abi;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/**
 * Socket addresses of Linux.
 *
 * <pre>
 *   sockaddr_in   0 family (2)   2 port, big endian   4 address (4 bytes)
 *   sockaddr_in6  0 family (10)  2 port, big endian   4 flow   8 address (16 bytes)   24 scope
 * </pre>
 */
public final class SocketAddressCodec {

    /** Enough for each family. */
    public static final int BYTES = 28;

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int PORT = 2;
    private static final int ADDRESS = 4;
    private static final int ADDRESS6 = 8;
    private static final int SCOPE6 = 24;

    private SocketAddressCodec() {}

    /**
     * Writes an address to {@link #BYTES} of memory.
     *
     * @throws IllegalArgumentException if it is no resolved address of the Internet
     */
    public static void write(long to, SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IllegalArgumentException("an RDMA connection needs a resolved IP address, not " + address);
        }
        Native.clear(to, BYTES);
        Native.putShort(to + PORT, Short.reverseBytes((short) internet.getPort()));
        if (internet.getAddress() instanceof Inet6Address six) {
            Native.putShort(to, AF_INET6);
            Native.put(to + ADDRESS6, six.getAddress());
            Native.putInt(to + SCOPE6, six.getScopeId());
        } else {
            Native.putShort(to, AF_INET);
            Native.put(to + ADDRESS, internet.getAddress().getAddress());
        }
    }

    /** Reads an address; one of an unknown family is the wildcard address with port 0. */
    public static InetSocketAddress read(long from) {
        int port = Short.toUnsignedInt(Short.reverseBytes((short) Native.shortAt(from + PORT)));
        try {
            return switch (Native.shortAt(from)) {
                case AF_INET -> new InetSocketAddress(InetAddress.getByAddress(Native.bytes(from + ADDRESS, 4)), port);
                case AF_INET6 ->
                    new InetSocketAddress(
                            Inet6Address.getByAddress(
                                    "", Native.bytes(from + ADDRESS6, 16), Native.intAt(from + SCOPE6)),
                            port);
                default -> new InetSocketAddress(0);
            };
        } catch (UnknownHostException e) {
            throw new AssertionError("the lengths are right", e);
        }
    }
}
