package io.verbena.verbs;

/** The TCP under the connections of an iWARP RNIC, and how its packets travel. */
public enum TcpCarrier {
    /** The TCP of the operating system. */
    KERNEL,
    /**
     * The TCP of this library, whose segments travel as UDP payload. It needs no privilege. The peer must be a Verbena with the same
     * choice. Segments that arrive after a gap are placed at once. IPv4 and IPv6, one engine.
     */
    UDP,
    /**
     * The TCP of this library over a TUN device of Linux, which carries IP packets. {@link RnicOptions#device()} names the device,
     * {@link #DEFAULT_DEVICE} by default. Peers may have any TCP, also that of this system. One engine.
     */
    TUN,
    /** The same over a TAP device, which carries Ethernet frames, so that it can be a port of a bridge. */
    TAP,
    /**
     * The same with Ethernet frames on a network interface of Linux (AF_PACKET), such as an end of a veth pair: the RNIC is a station of its
     * own, with an address of its own, on the wire of that interface. It does not reach the system itself. {@link RnicOptions#device()} names
     * the interface, {@link #ADDRESS_SETTING} the address.
     */
    PACKET,
    /**
     * The same with Ethernet frames over a Unix socket, framed as QEMU ({@code -netdev stream}) and passt do. It needs no privilege. {@link
     * RnicOptions#device()} is the path of the socket to connect to, or "listen:" and the path to listen at; {@link #ADDRESS_SETTING} is the
     * address.
     */
    QEMU;

    /** The device of {@link #TUN} and {@link #TAP} if the options name none. */
    public static final String DEFAULT_DEVICE = "verbena0";

    /**
     * Name of the setting with the IPv4 or IPv6 address and prefix of the RNIC on a {@link #TUN} or {@link #TAP} device, such as
     * "10.77.0.2/24" or "fd77::2/64". By default the RNIC has the address after that of the system at the other
     * end; {@link #PACKET} and {@link #QEMU} require one.
     */
    public static final String ADDRESS_SETTING = "tcp-address";
}
