package io.verbena.verbs;

/** The TCP under the connections of an iWARP RNIC. */
public enum TcpCarrier {
    /** The TCP of the operating system. */
    KERNEL,
    /**
     * The TCP of this library, whose segments travel as UDP payload. It needs no privilege. The peer must be a Verbena with the same
     * choice. Segments that arrive after a gap are placed at once. IPv4, one engine.
     */
    UDP
}
