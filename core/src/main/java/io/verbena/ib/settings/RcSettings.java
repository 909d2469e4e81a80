package io.verbena.ib.settings;

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

    RcSettings(SettingsBuilder from) {
        super(from);
        localQp = from.local;
        remoteQp = from.remote;
        outboundReads = from.outboundReads;
        inboundReads = from.inboundReads;
        keepAliveNs = from.keepAliveNs;
        options = from.options;
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

    /** Options that both ends use. */
    public Set<RcOption> options() {
        return options;
    }
}
