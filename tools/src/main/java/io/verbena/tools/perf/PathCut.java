package io.verbena.tools.perf;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a path loses every packet.
 *
 * @param path number of the path
 * @param fromNs time from the beginning of the measurement
 * @param toNs when packets arrive again; {@link Long#MAX_VALUE} for never
 */
public record PathCut(int path, long fromNs, long toNs) {

    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,2})@(\\d{1,4}(?:\\.\\d{1,6})?)s(?:-(\\d{1,4}(?:\\.\\d{1,6})?)s)?");

    /** Reads a text such as {@code 3@2s} or {@code 3@2s-3.5s}. */
    public static Optional<PathCut> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long fromNs = nanos(matcher.group(2));
        long toNs = matcher.group(3) == null ? Long.MAX_VALUE : nanos(matcher.group(3));
        return fromNs < toNs
                ? Optional.of(new PathCut(Integer.parseInt(matcher.group(1)), fromNs, toNs))
                : Optional.empty();
    }

    private static long nanos(String seconds) {
        return Math.round(Double.parseDouble(seconds) * 1e9);
    }

    /** Whether the path is cut at a time of the measurement. */
    boolean at(long timeNs) {
        return timeNs >= fromNs && timeNs < toNs;
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return path + "@" + fromNs / 1e9 + "s" + (toNs == Long.MAX_VALUE ? "" : "-" + toNs / 1e9 + "s");
    }
}
