package io.verbena.web;

import java.util.Map;

/** What a page asks a network to do. */
public sealed interface NetworkAction {

    /** A link fails, or returns. */
    record Link(int number, boolean works) implements NetworkAction {}

    /** A node fails, or returns. */
    record Node(int number, boolean works) implements NetworkAction {}

    /** Time passes at a speed, in nanoseconds in a second. */
    record Run(double speed) implements NetworkAction {

        /** Checks the speed. */
        public Run {
            if (!(speed > 0 && speed <= 1e9)) {
                throw new IllegalArgumentException("the speed must be above 0 and at most 1e9, not " + speed);
            }
        }
    }

    /** Time stands still. */
    record Pause() implements NetworkAction {}

    /** Some time passes, then time stands still. */
    record Step(long ns) implements NetworkAction {

        /** Checks the time. */
        public Step {
            checkTime("step", ns);
        }
    }

    /** Time becomes this one, and stands still. */
    record Seek(long timeNs) implements NetworkAction {

        /** Checks the time. */
        public Seek {
            checkTime("time", timeNs);
        }
    }

    private static void checkTime(String what, long ns) {
        if (ns < 0 || ns > 1_000_000_000_000L) {
            throw new IllegalArgumentException("the " + what + " must be 0 to 1e12 ns, not " + ns);
        }
    }

    /**
     * Reads an action.
     *
     * @param words its name under {@code action}, and its parameters under their names
     * @throws IllegalArgumentException if it is none
     */
    static NetworkAction of(Map<String, String> words) {
        String name = words.getOrDefault("action", "");
        return switch (name) {
            case "link" -> new Link(Integer.parseInt(word(words, "number")), works(words));
            case "node" -> new Node(Integer.parseInt(word(words, "number")), works(words));
            case "run" -> new Run(Double.parseDouble(word(words, "speed")));
            case "pause" -> new Pause();
            case "step" -> new Step(Long.parseLong(word(words, "ns")));
            case "seek" -> new Seek(Long.parseLong(word(words, "timeNs")));
            default ->
                throw new IllegalArgumentException(
                        "the action must be link, node, run, pause, step or seek, not '" + name + "'");
        };
    }

    private static boolean works(Map<String, String> words) {
        String text = word(words, "works");
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("works must be true or false, not '" + text + "'");
        }
        return text.equals("true");
    }

    private static String word(Map<String, String> words, String name) {
        String text = words.get(name);
        if (text == null) {
            throw new IllegalArgumentException("the parameter " + name + " is missing");
        }
        return text;
    }
}
