package io.verbena.storage.host;

import io.verbena.storage.subsystem.HostIdentity;

/**
 * What a host connects to, and how.
 *
 * @param subsystem NQN of the subsystem
 * @param host who the host is
 * @param queues wanted number of I/O queues; the target may grant fewer
 * @param depth commands in flight per I/O queue
 * @param times times
 */
public record HostSettings(String subsystem, HostIdentity host, int queues, int depth, HostTimes times) {
    /** Most commands in flight per queue. */
    public static final int MOST_DEPTH = 1023;

    static final int MOST_QUEUES = 64;
    private static final int MOST_NAME_BYTES = 223;

    /** Checks that the settings are possible. */
    public HostSettings {
        if (queues < 1 || queues > MOST_QUEUES || depth < 1 || depth > MOST_DEPTH) {
            throw new IllegalArgumentException("A host has 1 to 64 queues with 1 to 1023 commands in flight, not "
                    + queues + " with " + depth + ".");
        }
        if (subsystem.isEmpty()
                || subsystem.length() > MOST_NAME_BYTES
                || host.name().length() > MOST_NAME_BYTES) {
            throw new IllegalArgumentException("An NQN has 1 to 223 characters: " + subsystem);
        }
    }
}
