package io.verbena.outcome;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;

/** The providers that the table runs over, in each of their forms. A new provider adds a constant here and a column in docs/api-map.md. */
enum TestedProvider implements Ground {
    IWARP("iwarp", Progress.ENGINE_THREAD, ""),
    IWARP_INLINE("iwarp", Progress.INLINE, ""),
    /** Through the sockets of the JDK. */
    IWARP_JDK("iwarp", Progress.ENGINE_THREAD, "jdk"),
    SHM("shm", Progress.ENGINE_THREAD, ""),
    SHM_INLINE("shm", Progress.INLINE, ""),
    ROCE("roce", Progress.ENGINE_THREAD, ""),
    ROCE_INLINE("roce", Progress.INLINE, ""),
    ROCE_JDK("roce", Progress.ENGINE_THREAD, "jdk"),
    /** Each connection survives its transport. */
    IWARP_SURVIVING("iwarp", "surviving"),
    SHM_SURVIVING("shm", "surviving"),
    /** Packets of RoCE carry the messages of connections that survive. */
    PACKETS_SURVIVING("roce+iwarp", "packets");

    private static final String SOCKETS = "io.verbena.sockets";

    private final String provider;
    private final Progress progress;
    private final String sockets;
    private final String column;
    private final boolean surviving;

    TestedProvider(String provider, Progress progress, String sockets) {
        this(provider, progress, sockets, provider, false);
    }

    /** Connections survive. */
    TestedProvider(String provider, String column) {
        this(provider, Progress.ENGINE_THREAD, "", column, true);
    }

    TestedProvider(String provider, Progress progress, String sockets, String column, boolean surviving) {
        this.provider = provider;
        this.progress = progress;
        this.sockets = sockets;
        this.column = column;
        this.surviving = surviving;
    }

    /** The heading of its column. */
    String column() {
        return column;
    }

    /** Whether it is the form of the provider that programs use most. */
    boolean usual() {
        return progress == Progress.ENGINE_THREAD && sockets.isEmpty();
    }

    @Override
    public ConnectionOptions connecting(ConnectionOptions asked) {
        return surviving ? asked.surviving() : asked;
    }

    @Override
    public Rnic open() {
        if (sockets.isEmpty()) {
            return Rnic.open(options());
        }
        System.setProperty(SOCKETS, sockets);
        try {
            return Rnic.open(options());
        } finally {
            System.clearProperty(SOCKETS);
        }
    }

    private RnicOptions options() {
        return RnicOptions.defaults().withProvider(provider).withProgress(progress);
    }
}
