package io.verbena.bench.sockets;

import java.util.Arrays;

/**
 * How long connections took that were set up one after the other, in microseconds.
 *
 * @param firstUs median of the first tenth, in which the JVMs compile
 * @param lastUs median of the last half
 * @param p99Us of the last half
 */
record SetUpTimes(double firstUs, double lastUs, double p99Us) {

    static SetUpTimes of(long[] ns) {
        long[] first = Arrays.copyOf(ns, Math.max(1, ns.length / 10));
        long[] last = Arrays.copyOfRange(ns, ns.length / 2, ns.length);
        Arrays.sort(first);
        Arrays.sort(last);
        return new SetUpTimes(at(first, 0.5), at(last, 0.5), at(last, 0.99));
    }

    private static double at(long[] sorted, double part) {
        return sorted[(int) (sorted.length * part)] / 1e3;
    }

    static SetUpTimes parse(String text) {
        String[] parts = text.split("/");
        return new SetUpTimes(Double.parseDouble(parts[0]), Double.parseDouble(parts[1]), Double.parseDouble(parts[2]));
    }

    @Override
    public String toString() {
        return firstUs + "/" + lastUs + "/" + p99Us;
    }
}
