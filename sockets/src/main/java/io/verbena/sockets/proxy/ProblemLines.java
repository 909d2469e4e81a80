package io.verbena.sockets.proxy;

import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Sentences about one kind of problem, at most one per second: the first one at once, then the last one of each second with the number of those
 * that it stands for. For one thread.
 */
final class ProblemLines {

    static final long EVERY_NS = 1_000_000_000;

    private final Consumer<String> lines;
    private OptionalLong saidNs = OptionalLong.empty();
    private String last = "";
    private int held;

    ProblemLines(Consumer<String> lines) {
        this.lines = sentence -> say(lines, sentence);
    }

    /** A program that cannot take a sentence does not end the thread of the proxy. */
    private static void say(Consumer<String> lines, String sentence) {
        try {
            lines.accept(sentence);
        } catch (RuntimeException | Error e) {
            System.getLogger("io.verbena.sockets").log(System.Logger.Level.ERROR, sentence, e);
        }
    }

    void add(String sentence, long nowNs) {
        onTime(nowNs);
        if (saidNs.isEmpty()) {
            saidNs = OptionalLong.of(nowNs);
            lines.accept(sentence);
        } else {
            last = sentence;
            held++;
        }
    }

    /** Says what has been held back for a second. */
    void onTime(long nowNs) {
        if (saidNs.isPresent() && nowNs - saidNs.getAsLong() >= EVERY_NS) {
            saidNs = held == 0 ? OptionalLong.empty() : OptionalLong.of(nowNs);
            flush();
        }
    }

    /** Time until {@link #onTime} has something to do. */
    long leftNs(long nowNs) {
        return saidNs.isEmpty() ? Long.MAX_VALUE : EVERY_NS - (nowNs - saidNs.getAsLong());
    }

    /** Says what was held back. */
    void flush() {
        if (held > 0) {
            lines.accept(held == 1 ? last : last + " (" + held + " times)");
            held = 0;
        }
    }
}
