package io.verbena.tools.impair;

import java.util.Locale;

/** The two ends of a forwarder. */
enum Side {
    A,
    B;

    Side other() {
        return this == A ? B : A;
    }

    /** As in rules: {@code a} or {@code b}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
