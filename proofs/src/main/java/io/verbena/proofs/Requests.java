package io.verbena.proofs;

import java.util.Arrays;

/** Requests of one thread, one after the other: each begins when the answer to the one before it is there. */
public final class Requests {

    /** What the line with the times begins with. */
    static final String TIMES = "request times, ns: ";

    private static final int WARM_UP = Scale.of(20_000);
    private static final int REQUESTS = Scale.of(20_000);
    private static final int PER_CENT = 100;

    private Requests() {}

    /** A request with its answer. */
    @FunctionalInterface
    public interface Request {
        /** Returns when the answer is there. */
        void run() throws Exception;
    }

    /** Runs requests, of which the first half is not counted, and prints the times within which 50 and 99 of 100 were answered. */
    public static void measure(Request request) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            request.run();
        }
        long[] ns = new long[REQUESTS];
        for (int i = 0; i < REQUESTS; i++) {
            long startNs = System.nanoTime();
            request.run();
            ns[i] = System.nanoTime() - startNs;
        }
        Arrays.sort(ns);
        System.out.println(TIMES + ns[REQUESTS / 2] + " " + ns[REQUESTS - 1 - REQUESTS / PER_CENT]);
    }
}
