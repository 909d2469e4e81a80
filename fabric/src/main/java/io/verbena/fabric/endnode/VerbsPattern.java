package io.verbena.fabric.endnode;

import java.util.Locale;

/** Which endnode writes to which. */
public enum VerbsPattern {
    /** Each endnode writes to the next one. */
    RING {
        @Override
        boolean writes(int from, int to, int nodes) {
            return to == (from + 1) % nodes;
        }
    },
    /** Each endnode writes to each other one. */
    ALL_TO_ALL {
        @Override
        boolean writes(int from, int to, int nodes) {
            return from != to;
        }
    },
    /** All endnodes write to the first. */
    INCAST {
        @Override
        boolean writes(int from, int to, int nodes) {
            return to == 0 && from != 0;
        }
    };

    abstract boolean writes(int from, int to, int nodes);

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
