package io.verbena.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * write_bw and write_lat against plain NIO in the same run: interleaved pairs, median of seven, with the spread. Two threads
 * of one JVM, loopback TCP, socket buffers as the system sets them for both.
 *
 * <pre>{@code java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.FirstFigures }</pre>
 */
public final class FirstFigures {

    private static final int ROUNDS = 7;
    private static final int DEPTH = 64;
    private static final int SIGNAL_EACH = 16;
    private static final int WARM_UPS = 6;
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private FirstFigures() {}

    public static void main(String[] arguments) throws Exception {
        long total = Long.getLong("bytes", 1L << 29);
        int pings = Integer.getInteger("pings", 30_000);
        int[] sizes = arguments.length == 0
                ? new int[] {4096, 65_536, 1 << 20}
                : Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
        for (boolean crc : new boolean[] {false, true}) {
            for (int size : sizes) {
                pairs(
                        "write_bw " + size + " B" + (crc ? " CRC" : ""),
                        "GB/s",
                        1e-9,
                        () -> nioBandwidth(size, total),
                        () -> writeBandwidth(size, total, crc));
            }
        }
        pairs("write_lat 8 B INLINE", "us", 1e-3, () -> nioLatency(pings), () -> writeLatency(pings));
    }

    /** A measurement. */
    interface Measure {
        double run() throws Exception;
    }

    private static void pairs(String name, String unit, double scale, Measure nio, Measure verbena) throws Exception {
        double[] ratios = new double[ROUNDS];
        double[] ours = new double[ROUNDS];
        double[] theirs = new double[ROUNDS];
        for (int i = 0; i < WARM_UPS; i++) {
            nio.run();
            verbena.run();
        }
        for (int i = 0; i < ROUNDS; i++) {
            theirs[i] = nio.run();
            ours[i] = verbena.run();
            ratios[i] = ours[i] / theirs[i];
        }
        Arrays.sort(ratios);
        Arrays.sort(ours);
        Arrays.sort(theirs);
        System.out.printf(
                "%-22s NIO %8.3f  Verbena %8.3f %s   ratio %.2f (%.2f to %.2f)%n",
                name,
                theirs[ROUNDS / 2] * scale,
                ours[ROUNDS / 2] * scale,
                unit,
                ratios[ROUNDS / 2],
                ratios[0],
                ratios[ROUNDS - 1]);
    }

    private static double nioBandwidth(int size, long total) throws IOException, InterruptedException {
        try (PlainNio nio = new PlainNio()) {
            return nio.bandwidth(size, total);
        }
    }

    private static double nioLatency(int pings) throws IOException, InterruptedException {
        try (PlainNio nio = new PlainNio()) {
            return nio.latencyNs(pings);
        }
    }

    /**
     * Writes, one of {@link #SIGNAL_EACH} signalled, an engine thread on both sides; ends when the peer has a notified Send
     * behind them all.
     */
    static double writeBandwidth(int size, long total, boolean crc) throws IOException {
        RnicOptions options = RnicOptions.defaults().withCrc(crc);
        try (Endpoint server = new Endpoint(options, size, DEPTH);
                Endpoint client = new Endpoint(options, size, DEPTH)) {
            Endpoint.connect(client, server);
            server.queuePair.postReceive(1, server.region, 0, 0);
            long address = server.region.address();
            int key = server.region.rkey();
            long messages = total / size;
            long begin = System.nanoTime();
            for (long i = 0; i < messages; i++) {
                WrFlags flags = i % SIGNAL_EACH == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
                while (!client.queuePair.postWrite(i, client.region, 0, size, address, key, flags)) {
                    client.awaitOne();
                }
                client.poll();
            }
            while (!client.queuePair.postSend(-1, client.region, 0, 0, WrFlags.UNSIGNALLED.withSolicited())) {
                client.awaitOne();
            }
            server.awaitOne();
            return (double) messages * size * 1e9 / (System.nanoTime() - begin);
        }
    }

    /** Two INLINE ends in two threads write 8 bytes into each other's memory and poll their own; half a round trip, ns. */
    static double writeLatency(int pings) throws IOException, InterruptedException {
        RnicOptions options = RnicOptions.defaults().withProgress(Progress.INLINE);
        try (Endpoint a = new Endpoint(options, 64, DEPTH);
                Endpoint b = new Endpoint(options, 64, DEPTH)) {
            Endpoint.connect(a, b);
            long addressOfA = a.region.address();
            int keyOfA = a.region.rkey();
            Thread echo = Thread.ofPlatform().start(() -> {
                b.rnic.adopt();
                for (int i = 1; i <= pings; i++) {
                    awaitWord(b, i);
                    write(b, i, addressOfA, keyOfA);
                }
            });
            long address = b.region.address();
            int key = b.region.rkey();
            long begin = System.nanoTime();
            for (int i = 1; i <= pings; i++) {
                write(a, i, address, key);
                awaitWord(a, i);
            }
            long ns = System.nanoTime() - begin;
            echo.join();
            b.rnic.adopt();
            return ns / 2.0 / pings;
        }
    }

    private static void write(Endpoint end, int value, long address, int key) {
        end.region.segment().set(JAVA_LONG, 0, value);
        while (!end.queuePair.postWrite(value, end.region, 0, 8, address + 8, key, WrFlags.UNSIGNALLED)) {
            end.rnic.progress();
        }
    }

    private static void awaitWord(Endpoint end, long value) {
        while ((long) WORD.getAcquire(end.region.segment(), 8L) != value) {
            end.rnic.progress();
        }
    }
}
