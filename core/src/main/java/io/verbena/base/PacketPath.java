package io.verbena.base;

/**
 * Destination of the packets of one flow: an address of 16 bytes, as in IPv6 and the GIDs of InfiniBand, a port, and a
 * traffic class. Created once per connection or address handle, so that sending does not allocate.
 *
 * <p>Lists and ports compare paths by identity: one flow uses one path object.
 */
public final class PacketPath {

    /** The two ECN bits of a traffic class: "not ECN-capable" (RFC 3168 section 5). */
    public static final int NOT_ECT = 0;

    /** ECN-capable transport, codepoint ECT(0) (RFC 3168 section 5). */
    public static final int ECT_0 = 2;

    /** Congestion experienced (RFC 3168 section 5). */
    public static final int CONGESTION_EXPERIENCED = 3;

    private static final int ECN_BITS = 3;
    private static final long IPV4_MAPPED = 0xffffL;

    private final long addressHigh;
    private final long addressLow;
    private final int port;
    private final int trafficClass;
    private final int entropy;
    private final int source;

    /**
     * Creates a path.
     *
     * @param addressHigh the first eight bytes of the remote address; 0 for IPv4
     * @param addressLow the last eight bytes; an IPv4 address is written as ::ffff:a.b.c.d
     * @param port the remote port
     * @param trafficClass the IPv4 TOS or IPv6 traffic class byte: DSCP and ECN bits, 0 to 255
     */
    public PacketPath(long addressHigh, long addressLow, int port, int trafficClass) {
        this(addressHigh, addressLow, port, trafficClass, 0, 0);
    }

    private PacketPath(long addressHigh, long addressLow, int port, int trafficClass, int entropy, int source) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("the port must be 0 to 65535, not " + port);
        }
        if (trafficClass < 0 || trafficClass > 255) {
            throw new IllegalArgumentException("the traffic class must be 0 to 255, not " + trafficClass);
        }
        this.addressHigh = addressHigh;
        this.addressLow = addressLow;
        this.port = port;
        this.trafficClass = trafficClass;
        this.entropy = entropy;
        this.source = source;
    }

    /**
     * A path to the same destination that a network with several routes may carry another way. A port that can, sends its packets
     * from another source port; any other port sends them as those of number 0.
     */
    public PacketPath withEntropy(int number) {
        return number == entropy ? this : new PacketPath(addressHigh, addressLow, port, trafficClass, number, source);
    }

    /** A path to the same destination from another address of this side, by its number; 0 is the first one. */
    public PacketPath from(int address) {
        return address == source ? this : new PacketPath(addressHigh, addressLow, port, trafficClass, entropy, address);
    }

    /** The first eight bytes of the remote address. */
    public long addressHigh() {
        return addressHigh;
    }

    /** The last eight bytes of the remote address. */
    public long addressLow() {
        return addressLow;
    }

    public int port() {
        return port;
    }

    /** The TOS or traffic class byte. */
    public int trafficClass() {
        return trafficClass;
    }

    /** The number among the paths to one destination, 0 for the first. */
    public int entropy() {
        return entropy;
    }

    /** The number of the address of this side that packets leave from, 0 for the first. */
    public int source() {
        return source;
    }

    /** Whether the remote address is an IPv4 address. */
    public boolean ipv4() {
        return ipv4(addressHigh, addressLow);
    }

    /**
     * Whether an address of 16 bytes, given as two words, is an IPv4 address mapped into IPv6 (RFC 4291 section
     * 2.5.5.2).
     */
    public static boolean ipv4(long high, long low) {
        return high == 0 && low >>> 32 == IPV4_MAPPED;
    }

    /** The ECN bits of a traffic class byte. */
    public static int ecn(int trafficClass) {
        return trafficClass & ECN_BITS;
    }

    /** Equality, which is decided at once for one object: a flow has one. */
    @SuppressWarnings("ReferenceEquality")
    boolean same(PacketPath other) {
        return this == other
                || addressHigh == other.addressHigh
                        && addressLow == other.addressLow
                        && port == other.port
                        && trafficClass == other.trafficClass
                        && entropy == other.entropy
                        && source == other.source;
    }
}
