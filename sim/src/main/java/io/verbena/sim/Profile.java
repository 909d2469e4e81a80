package io.verbena.sim;

import java.util.Locale;

/** The kind of faults of a run. The seed selects the details. */
public enum Profile {
    /** A good network: whole pieces, short delays. */
    CALM("no faults"),
    /** Streams are torn into any pieces, buffers are small. */
    TORN("streams torn into arbitrary pieces, small buffers"),
    /** Long delays, stalls, slow engines and slow applications. */
    SLOW("long delays and stalls"),
    /** Either side closes at any time, gracefully or abruptly. */
    CLOSING("connections closed in the middle of traffic"),
    /** Connections are reset, become silent or are refused; whole RNICs die. */
    KILLED("resets, silence, dead peers, refused connections"),
    /** The programs make mistakes: wrong keys, bounds, rights, lengths, no receive posted. */
    MISUSE("wrong keys, bounds and rights, messages without a receive buffer"),
    /** Single bits are flipped; all connections use CRC. */
    CORRUPT("flipped bits, with CRC"),
    /** Garbage in the streams. Only safety and the end of every wait are checked. */
    HOSTILE("garbage in the streams");

    private final String description;

    Profile(String description) {
        this.description = description;
    }

    /** A short description for people. */
    public String description() {
        return description;
    }

    /** Whether the network breaks connections on its own. */
    public boolean breaks() {
        return this == KILLED || this == CORRUPT || this == HOSTILE;
    }

    /**
     * The profile of a name in any case.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Profile named(String name) {
        try {
            return valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "no profile is called '" + name + "'; known are " + java.util.Arrays.toString(values()), e);
        }
    }
}
