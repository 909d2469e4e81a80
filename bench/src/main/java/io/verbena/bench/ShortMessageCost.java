package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.endpoint.Loopback;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Arrays;

/**
 * What a message of 8 bytes costs, and one of 64 in a batch, both ends INLINE in one thread, on a machine that
 * others use as well: rounds of half a millisecond, of which most have the processor for themselves, and of these
 * the least and the tenth part. Run: {@code bench/launch io.verbena.bench.ShortMessageCost [PROVIDER [DIRECT
 * [NAME]]]}, where NAME is the beginning of one line of the output.
 */
public final class ShortMessageCost {

    private static final int BYTES = 8;
    private static final int MESSAGES = 1024;
    private static final int ROUNDS = 1000;

    /** Messages of one doorbell. */
    private static final int BATCH = 64;

    private static final int BATCHED_BYTES = 64;

    private final Loopback pair;
    private final Endpoint a;
    private final Endpoint b;
    private final long address;
    private final int key;
    private int batched;

    private ShortMessageCost(String provider, boolean direct) throws IOException {
        pair = new Loopback(provider, false, direct);
        a = pair.a;
        b = pair.b;
        address = pair.address;
        key = pair.key;
    }

    public static void main(String[] arguments) throws IOException {
        String provider = arguments.length > 0 ? arguments[0] : "shm";
        boolean direct = arguments.length > 1 && Boolean.parseBoolean(arguments[1]);
        String only = arguments.length > 2 ? arguments[2] : "";
        ShortMessageCost cost = new ShortMessageCost(provider, direct);
        cost.print(only, "Write until seen", cost.pair::writeUntilSeen);
        cost.print(only, "Write, completion", cost::signalledWrite);
        cost.print(only, "Send and receive", cost::send);
        cost.print(only, "Read", cost::read);
        cost.print(only, "fetch-and-add", cost::fetchAndAdd);
        cost.print(only, "batched Send", cost::sends);
        cost.print(only, "batched Write", cost::writes);
        cost.pair.close();
    }

    private void print(String only, String name, Runnable message) {
        if (!name.startsWith(only)) {
            return;
        }
        run(message); // until the compilers have seen it
        double[] late = run(message);
        System.out.printf("%-18s %6.0f ns at least, %6.0f at 10 %%%n", name, late[0], late[late.length / 10]);
    }

    /** Nanoseconds of a message in each round of the second half, in order. */
    private static double[] run(Runnable message) {
        double[] ns = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long startNs = System.nanoTime();
            for (int i = 0; i < MESSAGES; i++) {
                message.run();
            }
            ns[round] = (System.nanoTime() - startNs) / (double) MESSAGES;
        }
        double[] late = Arrays.copyOfRange(ns, ROUNDS / 2, ROUNDS);
        Arrays.sort(late);
        return late;
    }

    private void signalledWrite() {
        a.queuePair.postWrite(1, a.region, 0, BYTES, address, key, WrFlags.SIGNALLED);
        while (!a.cursor.next()) {}
    }

    private void send() {
        b.queuePair.postReceive(2, b.region, 0, BYTES);
        a.queuePair.postSend(1, a.region, 0, BYTES, WrFlags.SIGNALLED);
        while (!b.cursor.next()) {}
        while (!a.cursor.next()) {}
    }

    private void read() {
        a.queuePair.postRead(1, a.region, 0, BYTES, address, key, WrFlags.SIGNALLED);
        while (!a.cursor.next()) {}
    }

    /** A message of the batch; the last one posts and takes all of them. */
    private void sends() {
        b.queuePair.postReceive(2, b.region, 0, BATCHED_BYTES);
        if (++batched < BATCH) {
            return;
        }
        batched = 0;
        a.queuePair.startBatch();
        for (int i = 1; i <= BATCH; i++) {
            a.queuePair.postSend(1, a.region, 0, BATCHED_BYTES, i == BATCH ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED);
        }
        a.queuePair.ringDoorbell();
        for (int left = BATCH; left > 0; ) {
            left -= b.poll();
        }
        while (!a.cursor.next()) {}
    }

    private void writes() {
        if (++batched < BATCH) {
            return;
        }
        batched = 0;
        a.queuePair.startBatch();
        for (int i = 1; i <= BATCH; i++) {
            WrFlags flags = i == BATCH ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
            a.queuePair.postWrite(1, a.region, 0, BYTES, address, key, flags);
        }
        a.queuePair.ringDoorbell();
        while (!a.cursor.next()) {
            b.rnic.progress();
        }
    }

    private void fetchAndAdd() {
        a.queuePair.postFetchAndAdd(1, a.region, 0, address, key, 1, WrFlags.SIGNALLED);
        while (!a.cursor.next()) {}
    }
}
