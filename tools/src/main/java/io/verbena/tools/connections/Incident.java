package io.verbena.tools.connections;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that a user of {@code verbena connections explain} lets happen.
 *
 * @param side A, B or both (for what has no side, A)
 */
public record Incident(char side, Deed deed) {

    /** What is done. */
    public enum Deed {
        SEND("posts a Send"),
        WRITE("posts a Write"),
        READ("posts a Read"),
        ATOMIC("posts an atomic"),
        BAD_KEY("posts a Read with a wrong key"),
        DISCONNECT("disconnects gracefully"),
        ERROR("moves its queue pair to ERROR"),
        CLOSE("closes its queue pair"),
        SHUTDOWN("closes its RNIC"),
        DIE("is killed; its system resets its connections"),
        VANISH("vanishes silently"),
        MIGRATE("leaves the transport of its connection"),
        RESET("the network resets the connection"),
        TIME("a minute passes");

        private final String sentence;

        Deed(String sentence) {
            this.sentence = sentence;
        }

        /** What it is, half a sentence with a side as its subject, except for the last two. */
        public String sentence() {
            return sentence;
        }

        /** Whether it is something that a side does. */
        public boolean hasSide() {
            return this != RESET && this != TIME;
        }

        /** The word for it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The incidents that a word asks for, all at the same moment: {@code a:disconnect}, {@code reset}, {@code a:read+b:disconnect}. */
    public static List<Incident> parse(String words) {
        List<Incident> all = new ArrayList<>();
        for (String word : words.split("\\+", -1)) {
            all.add(one(word.strip().toLowerCase(Locale.ROOT)));
        }
        return all;
    }

    private static Incident one(String word) {
        boolean sided = word.startsWith("a:") || word.startsWith("b:");
        String what = sided ? word.substring(2) : word;
        Optional<Deed> deed =
                Arrays.stream(Deed.values()).filter(d -> d.word().equals(what)).findFirst();
        if (deed.isEmpty() || deed.get().hasSide() != sided) {
            throw new IllegalArgumentException("There is no event '" + word + "'; events are a:" + words(true)
                    + " (or b: for the other side), " + words(false));
        }
        return new Incident(sided ? Character.toUpperCase(word.charAt(0)) : 'A', deed.get());
    }

    private static String words(boolean sided) {
        return String.join(
                ", ",
                Arrays.stream(Deed.values())
                        .filter(d -> d.hasSide() == sided)
                        .map(Deed::word)
                        .toList());
    }

    @Override
    public String toString() {
        return deed.hasSide() ? side + " " + deed.sentence() : deed.sentence();
    }
}
