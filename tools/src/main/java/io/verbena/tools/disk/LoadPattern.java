package io.verbena.tools.disk;

import java.util.Locale;
import java.util.SplittableRandom;

/** What a load does. */
public enum LoadPattern {
    /** Reads at random places. */
    RANDREAD,
    /** Writes at random places. */
    RANDWRITE,
    /** Reads and Writes at random places, half of each. */
    RANDRW,
    /** Reads in order. */
    READ,
    /** Writes in order. */
    WRITE,
    /** Writes every place, then writes and reads at random places and compares what was read. */
    VERIFY;

    /** Whether hosts lose what was on the disk. */
    public boolean overwrites() {
        return this != READ && this != RANDREAD;
    }

    boolean random() {
        return this != READ && this != WRITE;
    }

    boolean reads(SplittableRandom random) {
        return switch (this) {
            case READ, RANDREAD -> true;
            case WRITE, RANDWRITE -> false;
            case RANDRW, VERIFY -> random.nextBoolean();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
