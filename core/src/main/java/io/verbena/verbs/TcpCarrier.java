package io.verbena.verbs;

/** The TCP under the connections of an iWARP RNIC, and how its packets travel. */
public enum TcpCarrier {
    /** The TCP of the operating system. */
    KERNEL,
    /**
     * The TCP of this library, whose segments travel as UDP payload. It needs no privilege. The peer must be a Verbena with the same
     * choice. Segments that arrive after a gap are placed at once. IPv4, one engine.
     */
    UDP,
    /**
     * The TCP of this library over a TUN device of Linux, which carries IP packets. {@link RnicOptions#device()} names the device,
     * {@link #DEFAULT_DEVICE} by default. Peers may have any TCP, also that of this system. IPv4, one engine.
     */
    TUN,
    /** The same over a TAP device, which carries Ethernet frames, so that it can be a port of a bridge. */
    TAP;

    /** The device of {@link #TUN} and {@link #TAP} if the options name none. */
    public static final String DEFAULT_DEVICE = "verbena0";

    /**
     * Name of the setting with the IPv4 address and prefix of the RNIC on a {@link #TUN} or {@link #TAP} device, such as
     * "10.77.0.2/24". By default the RNIC has the address after that of the system at the other end.
     */
    public static final String ADDRESS_SETTING = "tcp-address";
}
