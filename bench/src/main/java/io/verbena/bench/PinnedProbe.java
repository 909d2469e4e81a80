package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;

/**
 * Measures accesses to pinned memory on request of a line on its input: {@code check}, {@code write_bw} or {@code write_lat}; answers with
 * nanoseconds an operation. It uses nothing that is not in the oldest version, so that an older core can be before it on the class path.
 */
public final class PinnedProbe {

    private static final int DEPTH = 64;
    private static final int SIZE = 65_536;
    private static final int WRITES = 8_000;
    private static final int PINGS = 20_000;
    private static final int CHECKS = 5_000_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private static long sink;

    private PinnedProbe() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            double ns = switch (line) {
                case "check" -> check();
                case "write_bw" -> writes();
                case "write_lat" -> pings();
                default -> throw new IllegalArgumentException(line);
            };
            System.out.println(ns);
        }
        System.exit(sink == 1 ? 1 : 0);
    }

    private static final RegionTable TABLE = new RegionTable(new Random(1)::nextLong);
    private static final Region REGION =
            TABLE.register(new OffHeapMemory().allocate(4096), 7, Set.of(AccessRight.REMOTE_WRITE));
    private static final AccessCheck CHECK = new AccessCheck();

    private static double check() {
        int key = REGION.rkey();
        long address = REGION.baseAddress();
        long sum = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < CHECKS; i++) {
            sum += CHECK.check(TABLE, key, 7, address + (i & 1023), 64, AccessRight.REMOTE_WRITE)
                    .ordinal();
        }
        sink += sum;
        return (System.nanoTime() - begin) / (double) CHECKS;
    }

    /** Engine threads on both sides; ends when the peer has a notified Send after all Writes. */
    private static double writes() throws IOException {
        RnicOptions options = RnicOptions.defaults();
        try (Endpoint server = new Endpoint(options, SIZE, DEPTH);
                Endpoint client = new Endpoint(options, SIZE, DEPTH)) {
            Endpoint.connect(client, server);
            server.queuePair.postReceive(1, server.region, 0, 0);
            long begin = System.nanoTime();
            for (int i = 0; i < WRITES; i++) {
                WrFlags flags = i % 16 == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
                while (!client.queuePair.postWrite(
                        i, client.region, 0, SIZE, server.region.address(), server.region.rkey(), flags)) {
                    client.awaitOne();
                }
                client.poll();
            }
            while (!client.queuePair.postSend(-1, client.region, 0, 0, WrFlags.UNSIGNALLED.withSolicited())) {
                client.awaitOne();
            }
            server.awaitOne();
            return (System.nanoTime() - begin) / (double) WRITES;
        }
    }

    /** Two INLINE ends in two threads write 8 bytes into each other's memory and poll their own; half a round trip. */
    private static double pings() throws IOException, InterruptedException {
        RnicOptions options = RnicOptions.defaults().withProgress(Progress.INLINE);
        try (Endpoint a = new Endpoint(options, 64, DEPTH);
                Endpoint b = new Endpoint(options, 64, DEPTH)) {
            Endpoint.connect(a, b);
            Thread echo = Thread.ofPlatform().start(() -> {
                b.rnic.adopt();
                for (int i = 1; i <= PINGS; i++) {
                    awaitWord(b, i);
                    write(b, i, a);
                }
            });
            long begin = System.nanoTime();
            for (int i = 1; i <= PINGS; i++) {
                write(a, i, b);
                awaitWord(a, i);
            }
            long ns = System.nanoTime() - begin;
            echo.join();
            b.rnic.adopt();
            return ns / 2.0 / PINGS;
        }
    }

    private static void write(Endpoint end, int value, Endpoint to) {
        end.region.segment().set(ValueLayout.JAVA_LONG, 0, value);
        long address = to.region.address() + 8;
        while (!end.queuePair.postWrite(value, end.region, 0, 8, address, to.region.rkey(), WrFlags.UNSIGNALLED)) {
            end.rnic.progress();
        }
    }

    private static void awaitWord(Endpoint end, long value) {
        while ((long) WORD.getAcquire(end.region.segment(), 8L) != value) {
            end.rnic.progress();
        }
    }
}
