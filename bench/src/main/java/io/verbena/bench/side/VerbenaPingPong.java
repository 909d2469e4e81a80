package io.verbena.bench.side;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.bench.side.peer.Peer;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.invoke.VarHandle;

/**
 * Ping-pong by Writes into each other's memory, where both sides poll the last word, or by Sends, where both sides poll for
 * the completion of a receive.
 */
final class VerbenaPingPong implements Contestant {

    private static final int DEPTH = 64;
    private static final int WORD_BYTES = 8;

    /** What a side sends and what it receives are in different cache lines, as those of other programs are. */
    private static final int LINE_BYTES = 64;

    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final VerbenaPair pair;
    private final boolean sends;
    private final int messageBytes;

    /** Where the message of the peer arrives. */
    private final int inbound;

    private long number;

    VerbenaPingPong(boolean sends, int messageBytes, VerbenaPair.Mode mode) throws IOException {
        this.sends = sends;
        this.messageBytes = messageBytes;
        inbound = Math.ceilDiv(messageBytes, LINE_BYTES) * LINE_BYTES;
        pair = new VerbenaPair(mode, inbound + messageBytes, DEPTH, 1);
        if (sends) {
            pair.client.queuePair.postReceive(0, pair.client.region, inbound, messageBytes);
            pair.server.queuePair.postReceive(0, pair.server.region, inbound, messageBytes);
        }
    }

    @Override
    public long run(long roundTrips) throws Exception {
        long first = number + 1;
        long last = number + roundTrips;
        number = last;
        pair.begin();
        Peer echo = pair.startServer(() -> {
            for (long i = first; i <= last; i++) {
                await(pair.server, i);
                answer(pair.server, pair.client, i);
            }
        });
        long beginNs = System.nanoTime();
        for (long i = first; i <= last; i++) {
            answer(pair.client, pair.server, i);
            await(pair.client, i);
        }
        long ns = System.nanoTime() - beginNs;
        echo.join();
        pair.rest();
        return ns;
    }

    private void answer(Endpoint from, Endpoint to, long i) {
        if (sends) {
            while (!from.queuePair.postSend(i, from.region, 0, messageBytes, WrFlags.UNSIGNALLED)) {
                from.rnic.progress();
            }
            return;
        }
        from.region.segment().set(JAVA_LONG, messageBytes - WORD_BYTES, i);
        long address = to.region.address() + inbound;
        while (!from.queuePair.postWrite(
                i, from.region, 0, messageBytes, address, to.region.rkey(), WrFlags.UNSIGNALLED)) {
            from.rnic.progress();
        }
    }

    private void await(Endpoint end, long i) {
        if (sends) {
            while (end.poll() == 0) {
                Thread.onSpinWait();
            }
            end.queuePair.postReceive(i, end.region, inbound, messageBytes);
            return;
        }
        long offset = (long) inbound + messageBytes - WORD_BYTES;
        while ((long) WORD.getAcquire(end.region.segment(), offset) != i) {
            end.rnic.progress();
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
