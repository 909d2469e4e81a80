package io.verbena.tools.observe;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The paths of a connection in one line, a character for each: what was sent on it compared with the busiest active
 * one, or a letter for a path that requests avoid.
 *
 * <pre>
 *   paths ▇▇▇R▇▇▂▇
 * </pre>
 */
final class PathHeat {

    private static final String SHADES = "·▁▂▃▄▅▆▇█";
    private static final char ACTIVE = 'A';

    private PathHeat() {}

    /** The line for what happened between two samples of a queue pair; empty if its connection has one path only. */
    static Optional<String> line(Figures before, Figures now) {
        String states = now.texts().getOrDefault("paths", "");
        if (states.isEmpty()) {
            return Optional.empty();
        }
        long[] sent = IntStream.range(0, states.length())
                .mapToLong(path -> Math.max(0, bytes(now, path) - bytes(before, path)))
                .toArray();
        long most = IntStream.range(0, sent.length)
                .filter(path -> states.charAt(path) == ACTIVE)
                .mapToLong(path -> sent[path])
                .reduce(1, Math::max);
        StringBuilder line = new StringBuilder("        paths ");
        for (int path = 0; path < sent.length; path++) {
            char state = states.charAt(path);
            int shade = (int) Math.ceil((SHADES.length() - 1) * (double) sent[path] / most);
            line.append(state == ACTIVE ? SHADES.charAt(shade) : state);
        }
        return Optional.of(line.toString());
    }

    private static long bytes(Figures figures, int path) {
        return figures.number(RnicFigures.PATH_IO, String.valueOf(path));
    }
}
