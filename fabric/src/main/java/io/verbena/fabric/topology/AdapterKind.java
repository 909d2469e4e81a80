package io.verbena.fabric.topology;

import java.util.Locale;
import java.util.Optional;

/** What an adapter can do, and how much of it is hardware. */
public enum AdapterKind {
    /** The SANIC of a host: thousands of queue pairs, incoming RDMA, everything in hardware. */
    HOST(0, 1 << 16, true, 0, 0),
    /** The adapter of an I/O device: tens of queue pairs, no incoming RDMA. */
    IO(0x11, 32, false, 0, 0),
    /**
     * A low-end adapter of an I/O device: hardware up to the link layer. Its software executes the network and transport layers, one packet
     * after the other.
     */
    LOW_END(0x12, 8, false, 1_200, 4);

    private final int device;
    private final int queuePairs;
    private final boolean incomingRdma;
    private final int packetNs;
    private final int bytesPerNs;

    AdapterKind(int device, int queuePairs, boolean incomingRdma, int packetNs, int bytesPerNs) {
        this.device = device;
        this.queuePairs = queuePairs;
        this.incomingRdma = incomingRdma;
        this.packetNs = packetNs;
        this.bytesPerNs = bytesPerNs;
    }

    /** The kind of a node: its device number, if it has no vendor, as the nodes of built topologies. */
    public static AdapterKind of(Node node) {
        for (AdapterKind kind : values()) {
            if (kind != HOST
                    && node.kind() == NodeKind.ADAPTER
                    && node.identity().vendor() == 0
                    && node.identity().device() == kind.device) {
                return kind;
            }
        }
        return HOST;
    }

    /** The kind with a name on the command line. */
    public static Optional<AdapterKind> named(String name) {
        for (AdapterKind kind : values()) {
            if (kind.toString().equals(name)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /** Maximum number of queue pairs. */
    public int queuePairs() {
        return queuePairs;
    }

    /** Whether the adapter performs Reads, Writes and atomics that its peers request. */
    public boolean incomingRdma() {
        return incomingRdma;
    }

    /** Time in which software of the adapter processes a packet; 0 if hardware does. */
    public long softwareNs(int packetBytes) {
        return bytesPerNs == 0 ? 0 : packetNs + packetBytes / bytesPerNs;
    }

    /** Bytes that software of the adapter copies in a nanosecond; 0 if hardware does. */
    public int softwareBytesPerNs() {
        return bytesPerNs;
    }

    /** The device number of built nodes of this kind. */
    int device(int ofOthers) {
        return this == HOST ? ofOthers : device;
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
