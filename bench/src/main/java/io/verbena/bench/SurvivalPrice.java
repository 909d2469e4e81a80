package io.verbena.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What it costs that a connection survives its transport, while it does not fail: two connections between the same
 * two RNICs, one that
 * survives and one that does not, take turns of a few milliseconds, and the ratios of neighbours are compared. Both
 * ends are INLINE, in one thread.
 * Run: {@code bench/launch io.verbena.bench.SurvivalPrice [PROVIDER [PAIRS]]}
 */
public final class SurvivalPrice {

    private static final int USUAL_PAIRS = 400;
    private static final int LONG = 64 * 1024;
    private static final int SHORT = 8;
    private static final int WINDOW = 16;
    private static final double NS_PER_US = 1000;

    private final Endpoint[] near = new Endpoint[2];
    private final Endpoint[] far = new Endpoint[2];

    /** The last word of the memory of each far end. */
    private final MemorySegment[] marks = new MemorySegment[2];

    private long mark;

    private final int pairs;

    private SurvivalPrice(String provider, int pairs) throws IOException {
        this.pairs = pairs;
        for (int kind = 0; kind < 2; kind++) {
            RnicOptions options = RnicOptions.defaults().withProvider(provider).withProgress(Progress.INLINE);
            ConnectionOptions connection = kind == 0
                    ? ConnectionOptions.defaults()
                    : ConnectionOptions.defaults().surviving();
            near[kind] = new Endpoint(options, 2 * LONG, 64);
            far[kind] = new Endpoint(options, 2 * LONG, 64);
            Endpoint.connect(near[kind], far[kind], far[kind].listen(), connection);
            marks[kind] = far[kind].region.segment().asSlice(2 * LONG - Long.BYTES);
        }
    }

    public static void main(String[] arguments) throws IOException {
        String provider = arguments.length > 0 ? arguments[0] : "iwarp";
        int pairs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : USUAL_PAIRS;
        SurvivalPrice price = new SurvivalPrice(provider, pairs);
        System.out.println("provider " + provider + ", ratio to a connection that ends with its transport, median of "
                + pairs + " interleaved pairs:");
        price.print("Writes of 64 KiB, 16 outstanding", 200, (kind, n) -> price.writes(kind, n, LONG, WINDOW));
        price.print("Writes of 8 B, 16 outstanding", 2_000, (kind, n) -> price.writes(kind, n, SHORT, WINDOW));
        price.print("Write of 8 B, then its completion", 500, (kind, n) -> price.writes(kind, n, SHORT, 1));
        price.print("ping-pong of Writes of 8 B", 500, price::pingPongOfWrites);
        price.print("ping-pong of Sends of 8 B", 500, price::pingPong);
        price.close();
    }

    /** A number of steps with a kind of connection: 0 ends with its transport, 1 survives. */
    private interface Steps {
        void run(int kind, int count);
    }

    private void print(String name, int count, Steps steps) {
        double[] ratios = new double[pairs];
        double[] plainNs = new double[pairs];
        for (int pair = -pairs; pair < pairs; pair++) {
            boolean swapped = (pair & 1) == 0;
            double first = time(steps, count, swapped ? 1 : 0);
            double second = time(steps, count, swapped ? 0 : 1);
            if (pair >= 0) { // after the compilers have seen it
                ratios[pair] = swapped ? first / second : second / first;
                plainNs[pair] = swapped ? second : first;
            }
        }
        Arrays.sort(ratios);
        Arrays.sort(plainNs);
        System.out.printf(
                "%-36s %5.2f  (quarters %.2f to %.2f; without %.2f us)%n",
                name, ratios[pairs / 2], ratios[pairs / 4], ratios[3 * pairs / 4], plainNs[pairs / 2] / NS_PER_US);
    }

    private static double time(Steps steps, int count, int kind) {
        long startNs = System.nanoTime();
        steps.run(kind, count);
        return (System.nanoTime() - startNs) / (double) count;
    }

    /**
     * Writes with at most this many outstanding, until all are complete and placed: a Write of an ordinary connection
     * completes when TCP has taken it.
     */
    private void writes(int kind, int count, int bytes, int outstanding) {
        Endpoint from = near[kind];
        Endpoint to = far[kind];
        int posted = 0;
        int done = 0;
        while (done < count) {
            while (posted < count && posted - done < outstanding) {
                write(from, to, 0, bytes);
                posted++;
            }
            to.rnic.progress();
            done += from.poll();
        }
        from.region.segment().set(JAVA_LONG_UNALIGNED, LONG, ++mark);
        write(from, to, LONG, Long.BYTES);
        done -= 1;
        while (done < count || marks[kind].get(JAVA_LONG_UNALIGNED, 0) != mark) {
            to.rnic.progress();
            done += from.poll();
        }
    }

    /** From an offset, to the end of the memory of the peer if that is not 0. */
    private static void write(Endpoint from, Endpoint to, int offset, int bytes) {
        long at = to.region.address() + (offset == 0 ? 0 : 2 * LONG - Long.BYTES);
        from.queuePair.postWrite(1, from.region, offset, bytes, at, to.region.rkey(), WrFlags.SIGNALLED);
    }

    private void pingPongOfWrites(int kind, int count) {
        for (int i = 0; i < count; i++) {
            mark++;
            pass(near[kind], far[kind]);
            pass(far[kind], near[kind]);
        }
    }

    /** Writes the mark, and polls both ends until the peer sees it. */
    private void pass(Endpoint from, Endpoint to) {
        MemorySegment there = to.region.segment();
        from.region.segment().set(JAVA_LONG_UNALIGNED, LONG, mark);
        write(from, to, LONG, Long.BYTES);
        while (there.get(JAVA_LONG_UNALIGNED, 2 * LONG - Long.BYTES) != mark) {
            to.rnic.progress();
        }
        from.poll();
    }

    private void pingPong(int kind, int count) {
        for (int i = 0; i < count; i++) {
            send(near[kind], far[kind]);
            send(far[kind], near[kind]);
        }
    }

    private static void send(Endpoint from, Endpoint to) {
        to.queuePair.postReceive(2, to.region, 0, SHORT);
        from.queuePair.postSend(1, from.region, 0, SHORT, WrFlags.UNSIGNALLED);
        while (!to.cursor.next()) {
            from.rnic.progress();
        }
    }

    private void close() {
        for (int kind = 0; kind < 2; kind++) {
            near[kind].close();
            far[kind].close();
        }
    }
}
