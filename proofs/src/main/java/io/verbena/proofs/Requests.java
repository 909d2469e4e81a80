package io.verbena.proofs;

import java.util.Arrays;

/** Requests of one thread, one after the other: each begins when the answer to the one before it is there. */
public final class Requests {

    /** What the line with the times begins with. */
    static final String TIMES = "request times, ns: ";

    private static final int REQUESTS = Scale.of(20_000);
    private static final int PER_CENT = 100;

    /** On a busy machine there are fewer requests: each half ends after this time. */
    private static final long MOST_NS = 40_000_000_000L;

    private Requests() {}

    /** A request with its answer. */
    @FunctionalInterface
    public interface Request {
        /** Returns when the answer is there. */
        void run() throws Exception;
    }

    /** Runs requests, of which the first half is not counted, and prints the times within which 50 and 99 of 100 were answered. */
    public static void measure(Request request) throws Exception {
        run(request); // the compilers of both sides do most of their work here
        long[] ns = run(request);
        Arrays.sort(ns);
        System.out.println(TIMES + ns[ns.length / 2] + " " + ns[ns.length - 1 - ns.length / PER_CENT]);
    }

    private static long[] run(Request request) throws Exception {
        long[] ns = new long[REQUESTS];
        int count = 0;
        long beginNs = System.nanoTime();
        long nowNs = beginNs;
        while (count < REQUESTS && nowNs - beginNs < MOST_NS) {
            long startNs = System.nanoTime();
            request.run();
            nowNs = System.nanoTime();
            ns[count++] = nowNs - startNs;
        }
        return Arrays.copyOf(ns, count);
    }
}
