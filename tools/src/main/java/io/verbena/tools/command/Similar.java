package io.verbena.tools.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that a mistyped word stands for. */
final class Similar {

    private Similar() {}

    /** The word with the fewest differences; empty if all differ in more than one and in more than a third of their letters. */
    static Optional<String> to(String typed, Collection<String> words) {
        return words.stream()
                .filter(word -> differences(typed, word) <= Math.max(1, word.length() / 3))
                .min(Comparator.comparingInt(word -> differences(typed, word)));
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
    private static int differences(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                int best = Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
            }
        }
        return cost[from.length()][to.length()];
    }
}
