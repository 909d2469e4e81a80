package io.verbena.tools.impair;

import io.verbena.tools.text.Figures;

/**
 * A change of the table of rules.
 *
 * @param afterNs time since the first packet of RDMA
 * @param change what happens
 */
record ScriptEvent(long afterNs, Change change) {

    /** A change of the table. */
    sealed interface Change {

        /** As in a script. */
        String text();
    }

    /** A rule is added at the end, or changes the effects that it names of the one with equal conditions. */
    record Put(Rule rule) implements Change {
        @Override
        public String text() {
            return rule.text();
        }
    }

    /** The rule with these conditions ends. */
    record Clear(String where) implements Change {
        @Override
        public String text() {
            return "clear " + where;
        }
    }

    /** All rules end. */
    record ClearAll() implements Change {
        @Override
        public String text() {
            return "clear";
        }
    }

    /** As in a script. */
    @Override
    public String toString() {
        return "at " + Figures.seconds(afterNs) + ": " + change.text();
    }
}
