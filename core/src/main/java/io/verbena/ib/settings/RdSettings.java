package io.verbena.ib.settings;

/** The negotiated properties of an end-to-end context, built by {@link SettingsBuilder}. */
public final class RdSettings extends ReliableSettings {

    private final int localContext;
    private final int remoteContext;

    RdSettings(SettingsBuilder from) {
        super(from);
        localContext = from.local;
        remoteContext = from.remote;
    }

    /** Number of the context on this side. */
    public int localContext() {
        return localContext;
    }

    /** Its number at the peer. */
    public int remoteContext() {
        return remoteContext;
    }
}
