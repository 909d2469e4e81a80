package io.verbena.tools.command;

import io.verbena.verbs.TransportType;

/** What carries a connection, in words. */
public final class Carrier {

    private Carrier() {}

    /** For figures. */
    public static String word(TransportType type) {
        return switch (type) {
            case IWARP -> "tcp";
            case ROCE_V2 -> "udp";
            case INFINIBAND -> "infiniband";
            case SHARED_MEMORY -> "shared-memory";
        };
    }

    /** For people, without the full stop. */
    public static String sentence(TransportType type) {
        return switch (type) {
            case IWARP -> "Over TCP";
            case ROCE_V2 -> "Over UDP";
            case INFINIBAND -> "Over InfiniBand";
            case SHARED_MEMORY -> "Through shared memory";
        };
    }
}
