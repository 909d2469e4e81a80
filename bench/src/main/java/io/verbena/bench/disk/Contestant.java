package io.verbena.bench.disk;

import java.util.Locale;

/** How blocks come from one JVM to the other. */
enum Contestant {
    /** Requests and blocks over one TCP connection, with the channels of the JDK. */
    NIO,
    IWARP,
    SHM;

    String provider() {
        return name().toLowerCase(Locale.ROOT);
    }
}
