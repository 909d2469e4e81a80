package io.verbena.ib.settings;

import java.util.List;
import java.util.Set;

/** The negotiated properties of a reliable connection, built by {@link SettingsBuilder}. */
public final class RcSettings extends ReliableSettings {

    /** The number of retries after "receiver not ready" that has no limit. */
    public static final int UNLIMITED = 7;

    private final int localQp;
    private final int remoteQp;
    private final int outboundReads;
    private final int inboundReads;
    private final long keepAliveNs;
    private final Set<RcOption> options;
    private final int paths;
    private final int pathBurst;
    private final List<AddressPair> addressPairs;

    /** Requests after a missing one that a responder keeps, and responses that a requester places. */
    private static final int EARLY_PACKETS = 256;

    private static final int EARLY_PACKETS_OF_PATHS = 1024;

    RcSettings(SettingsBuilder from) {
        super(from);
        localQp = from.local;
        remoteQp = from.remote;
        outboundReads = from.outboundReads;
        inboundReads = from.inboundReads;
        keepAliveNs = from.keepAliveNs;
        options = from.options;
        paths = options.contains(RcOption.PATHS) ? Math.max(1, from.paths) : 1;
        pathBurst = from.pathBurst;
        addressPairs = options.contains(RcOption.PATHS) ? from.addressPairs : List.of();
    }

    /** Number of this queue pair. */
    public int localQp() {
        return localQp;
    }

    /** Number of the peer's queue pair. */
    public int remoteQp() {
        return remoteQp;
    }

    /** Reads and atomics of this side that may be outstanding at the peer; 0 for none. */
    public int outboundReads() {
        return outboundReads;
    }

    /** Reads and atomics of the peer that this side keeps; 0 for none. */
    public int inboundReads() {
        return inboundReads;
    }

    /** Maximum silence of the peer of an idle connection; 0 for no limit. */
    public long keepAliveNs() {
        return keepAliveNs;
    }

    /** Whether requests are spread over paths. */
    public boolean sprays() {
        return options.contains(RcOption.PATHS);
    }

    /** Number of paths of this side; 1 unless requests are spread over paths. */
    public int paths() {
        return paths;
    }

    /** Further addresses of both sides, by number from 1. */
    public List<AddressPair> addressPairs() {
        return addressPairs;
    }

    /** Packets in succession on one path. */
    public int pathBurst() {
        return pathBurst;
    }

    /** Number of PSNs, starting with the expected one, in which packets may arrive in any order; a power of 2. */
    public int earlyPackets() {
        return sprays() ? EARLY_PACKETS_OF_PATHS : EARLY_PACKETS;
    }

    @Override
    public int windowPackets() {
        return sprays() ? Math.min(super.windowPackets(), EARLY_PACKETS_OF_PATHS) : super.windowPackets();
    }

    /** Options that both ends use. */
    public Set<RcOption> options() {
        return options;
    }
}
