package io.verbena.bench.side;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.bench.side.peer.Peer;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/**
 * Writes over several connections of one RNIC. Each is kept full; how many of its Writes have completed when the run ends
 * is its share.
 */
final class VerbenaMany implements Contestant {

    private static final int DEPTH = 32;

    private final VerbenaPair pair;
    private final int messageBytes;
    private final long[] completed;
    private final int[] outstanding;
    private double worst;

    VerbenaMany(int connections, int messageBytes, VerbenaPair.Mode mode) throws IOException {
        this.messageBytes = messageBytes;
        pair = new VerbenaPair(mode, messageBytes, DEPTH, connections);
        completed = new long[connections];
        outstanding = new int[connections];
        for (QueuePair queuePair : pair.server.queuePairs) {
            queuePair.postReceive(0, pair.server.region, 0, 0);
        }
    }

    @Override
    public long run(long messages) throws Exception {
        Arrays.fill(completed, 0);
        pair.begin();
        long beginNs = System.nanoTime();
        Peer server = pair.startServer(this::serve);
        long total = 0;
        while (total < messages) {
            fill();
            int count = poll();
            total += count;
            if (count == 0 && !pair.client.cq.await(Endpoint.TIMEOUT)) {
                throw new IllegalStateException("nothing completed");
            }
        }
        long ns = System.nanoTime() - beginNs;
        double mean = (double) total / completed.length;
        worst = Arrays.stream(completed)
                .mapToDouble(share -> Math.abs(share - mean) / mean)
                .max()
                .orElseThrow();
        settle();
        server.join();
        pair.rest();
        return Math.round((double) ns * messages / total);
    }

    private void fill() {
        long address = pair.server.region.address();
        int key = pair.server.region.rkey();
        for (int i = 0; i < outstanding.length; i++) {
            QueuePair queuePair = pair.client.queuePairs.get(i);
            while (outstanding[i] < DEPTH
                    && queuePair.postWrite(i, pair.client.region, 0, messageBytes, address, key, WrFlags.SIGNALLED)) {
                outstanding[i]++;
            }
        }
    }

    private int poll() {
        CompletionCursor cursor = pair.client.cursor;
        int count = 0;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new IllegalStateException(cursor.reason());
            }
            int which = (int) cursor.wrId();
            completed[which]++;
            outstanding[which]--;
            count++;
        }
        return count;
    }

    /** Ends the work in flight and notifies the server on every connection. */
    private void settle() {
        awaitNoneOutstanding();
        for (int i = 0; i < outstanding.length; i++) {
            WrFlags flags = WrFlags.SIGNALLED.withSolicited();
            pair.client.queuePairs.get(i).postSend(i, pair.client.region, 0, 0, flags);
            outstanding[i]++;
        }
        awaitNoneOutstanding();
    }

    private void awaitNoneOutstanding() {
        while (Arrays.stream(outstanding).sum() > 0) {
            if (poll() == 0 && !pair.client.cq.await(Endpoint.TIMEOUT)) {
                throw new IllegalStateException("nothing completed");
            }
        }
    }

    private void serve() {
        for (int left = completed.length; left > 0; ) {
            left -= pair.server.awaitOne();
        }
        for (QueuePair queuePair : pair.server.queuePairs) {
            queuePair.postReceive(0, pair.server.region, 0, 0);
        }
    }

    @Override
    public Map<String, Double> figures() {
        return Map.of("worstShare", worst);
    }

    @Override
    public void close() {
        pair.close();
    }
}
