package io.verbena.bench.side;

import java.util.List;

/**
 * The options of a program that prints figures.
 *
 * @param quick whether three rounds are enough
 * @param json whether another program reads the figures
 */
public record FigureOptions(boolean quick, boolean json) {

    private static final List<String> KNOWN = List.of("--quick", "--json");

    /** Reads the arguments. {@code --help} prints the help and ends the process, and so does an argument that is not known. */
    public static FigureOptions of(String[] arguments, String help) {
        List<String> words = List.of(arguments);
        if (words.contains("--help") || words.contains("-h")) {
            System.out.println(help);
            System.exit(0);
        }
        for (String word : words) {
            if (!KNOWN.contains(word)) {
                System.err.println(
                        "Unknown option '" + word + "'. Known are " + String.join(", ", KNOWN) + " and --help.");
                System.exit(2);
            }
        }
        return new FigureOptions(words.contains("--quick"), words.contains("--json"));
    }

    /** Rounds that count. */
    public int rounds() {
        return quick ? 3 : 7;
    }
}
