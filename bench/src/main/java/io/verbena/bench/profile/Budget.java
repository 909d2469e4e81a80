package io.verbena.bench.profile;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * The processor time of a message by part of the program, both ends together.
 *
 * @param title which messages
 * @param messages how many were moved
 * @param ns how long that took
 * @param cpuNs processor time of all threads
 * @param calls system calls
 * @param shares of the samples, by part of the program
 */
record Budget(String title, long messages, long ns, long cpuNs, Calls calls, Map<Room, Double> shares) {

    /**
     * System calls of the transfer.
     *
     * @param reads calls of read and readv
     * @param writes calls of write and writev
     */
    public record Calls(long reads, long writes) {}

    /** From what a {@link Workload} printed and recorded. */
    static Budget of(String title, Map<String, Long> reported, StackTree tree) {
        Map<Room, Double> shares = new EnumMap<>(Room.class);
        tree.forEachStack(
                (stack, samples) -> shares.merge(Room.of(stack), (double) samples / tree.samples(), Double::sum));
        return new Budget(
                title,
                Math.max(1, reported.getOrDefault("messages", 0L)),
                reported.getOrDefault("ns", 0L),
                reported.getOrDefault("cpuNs", 0L),
                new Calls(reported.getOrDefault("reads", 0L), reported.getOrDefault("writes", 0L)),
                shares);
    }

    /** Time from one message to the next, µs. */
    String elapsed() {
        return micros(ns / 1e3 / messages);
    }

    /** Processor time of a message, µs. */
    String cpu() {
        return micros(cpuNs / 1e3 / messages);
    }

    /** Processor time of a message in one part, µs; empty for none. */
    String in(Room room) {
        double share = shares.getOrDefault(room, 0.0);
        return share == 0 ? "" : micros(share * cpuNs / 1e3 / messages);
    }

    String readsEach() {
        return micros((double) calls.reads() / messages);
    }

    String writesEach() {
        return micros((double) calls.writes() / messages);
    }

    private static String micros(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }
}
