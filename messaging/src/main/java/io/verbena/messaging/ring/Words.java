package io.verbena.messaging.ring;

import java.util.Optional;

/** How a side can exchange words, the {@link Immediate} data of a channel. The order is that of the numbers in a greeting. */
public enum Words {
    /** As immediate data. A side of a version that knows nothing else states this. */
    IMMEDIATE_ONLY,
    /** As immediate data, or as Sends of four bytes if the peer needs them. */
    EITHER,
    /** As Sends, because the RNIC has no immediate data. */
    SENDS_ONLY;

    private static final Words[] ALL = values();

    /** The form with this number, if there is one. */
    static Optional<Words> of(int number) {
        return number >= 0 && number < ALL.length ? Optional.of(ALL[number]) : Optional.empty();
    }

    /** Whether the words between two sides are Sends; empty if there is no form that both have. */
    public Optional<Boolean> sends(Words peer) {
        if (this != SENDS_ONLY && peer != SENDS_ONLY) {
            return Optional.of(false);
        }
        return this == IMMEDIATE_ONLY || peer == IMMEDIATE_ONLY ? Optional.empty() : Optional.of(true);
    }
}
