package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.endpoint.Loopback;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Arrays;

/**
 * What a message of 8 bytes costs, both ends INLINE in one thread, on a machine that others use as well: rounds of half a millisecond, of
 * which most have the processor for themselves, and of these the least and the tenth part. Run:
 * {@code bench/launch io.verbena.bench.ShortMessageCost [PROVIDER [DIRECT]]}
 */
public final class ShortMessageCost {

    private static final int BYTES = 8;
    private static final int MESSAGES = 1000;
    private static final int ROUNDS = 1000;

    private final Loopback pair;
    private final Endpoint a;
    private final Endpoint b;
    private final long address;
    private final int key;

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
        ShortMessageCost cost = new ShortMessageCost(provider, direct);
        cost.print("Write until seen", cost.pair::writeUntilSeen);
        cost.print("Write, completion", cost::signalledWrite);
        cost.print("Send and receive", cost::send);
        cost.print("Read", cost::read);
        cost.print("fetch-and-add", cost::fetchAndAdd);
        cost.pair.close();
    }

    private void print(String name, Runnable message) {
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

    private void fetchAndAdd() {
        a.queuePair.postFetchAndAdd(1, a.region, 0, address, key, 1, WrFlags.SIGNALLED);
        while (!a.cursor.next()) {}
    }
}
