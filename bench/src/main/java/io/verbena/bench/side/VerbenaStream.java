package io.verbena.bench.side;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.bench.side.peer.Peer;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * Writes, Reads or Sends of one size, one way, as fast as they go: a window of messages, one of
 * {@link #SIGNAL_EACH} signalled, small ones posted in batches. A run ends when the peer has confirmed that all data has arrived.
 *
 * <p>iWARP ends a connection when a Send finds no receive. So the receiver of Sends tells the sender, by an RDMA Write into
 * its memory, how many receives it has posted again.
 */
final class VerbenaStream implements Contestant {

    /** What is streamed. */
    enum Operation {
        WRITE,
        READ,
        SEND
    }

    private static final int SIGNAL_EACH = 16;
    private static final long END_OF_RUN = -1;
    private static final int CREDIT_BYTES = 8;
    private static final Duration LOOK = Duration.ofMillis(10);
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final WrFlags CREDIT = WrFlags.UNSIGNALLED.withInline();

    private final VerbenaPair pair;
    private final Operation operation;
    private final int messageBytes;
    private final int depth;
    private final int batch;

    /** Behind the message in the regions: the word that the peer's credits are written to. */
    private final int creditOffset;

    private final long remoteAddress;
    private final int remoteKey;
    private long posted;
    private long completed = -1;
    private boolean ended = true;
    private long received;
    private long credited;

    VerbenaStream(Operation operation, int messageBytes, VerbenaPair.Mode mode) throws IOException {
        this.operation = operation;
        this.messageBytes = messageBytes;
        depth = StreamDepth.depth(messageBytes);
        batch = StreamDepth.batch(messageBytes, mode.provider());
        creditOffset = Math.max(messageBytes, CREDIT_BYTES);
        pair = new VerbenaPair(mode, creditOffset + CREDIT_BYTES, depth, 1);
        remoteAddress = pair.server.region.address();
        remoteKey = pair.server.region.rkey();
        for (int i = 0; i < receives(); i++) {
            pair.server.queuePair.postReceive(i, pair.server.region, 0, receiveBytes());
        }
    }

    private int receives() {
        return operation == Operation.SEND ? depth : 1;
    }

    private int receiveBytes() {
        return operation == Operation.SEND ? messageBytes : 0;
    }

    @Override
    public long run(long messages) throws Exception {
        pair.begin();
        long beginNs = System.nanoTime();
        Peer server = pair.startServer(operation == Operation.SEND ? () -> takeSends(messages) : this::takeEndOfRun);
        stream(messages);
        if (operation != Operation.SEND) {
            tellEndOfRun();
        }
        awaitAll();
        server.join();
        long ns = System.nanoTime() - beginNs;
        pair.rest();
        return ns;
    }

    // The client.

    private void stream(long messages) {
        QueuePair queuePair = pair.client.queuePair;
        long end = posted + messages;
        while (posted < end) {
            long before = posted;
            long window = completed + 1 + depth;
            long limit = Math.min(Math.min(end, posted + batch), Math.min(window, mostNow()));
            if (batch == 1) {
                while (posted < limit && post(queuePair, posted + 1 == end)) {
                    posted++;
                }
            } else {
                queuePair.startBatch();
                while (posted < limit && post(queuePair, posted + 1 == end)) {
                    posted++;
                }
                queuePair.ringDoorbell();
            }
            // As perftest does: completions are looked for when the window is full.
            if (posted == before && poll() == 0) {
                idle(posted == window || limit > before);
            }
        }
    }

    /** A Send behind them all. What is unsignalled is on its way when it is: no thread drives an INLINE client afterwards. */
    private void tellEndOfRun() {
        ended = false;
        // Fenced: it must not overtake Reads, whose answers an INLINE server would no longer drive.
        WrFlags flags = WrFlags.SIGNALLED.withSolicited().withFence();
        while (!pair.client.queuePair.postSend(END_OF_RUN, pair.client.region, 0, 0, flags)) {
            if (poll() == 0) {
                idle(true);
            }
        }
    }

    private void idle(boolean queueFull) {
        if (!queueFull) {
            // Credits arrive in memory, unannounced: an INLINE RNIC waits for bytes, and looks for a while before.
            if (pair.client.rnic.progress(LOOK) == 0) {
                Thread.yield(); // to the engine threads
            }
            if (pair.client.queuePair.state() == IwarpQueuePairState.ERROR) {
                throw new IllegalStateException("the connection ended");
            }
        } else if (!pair.client.cq.await(Endpoint.TIMEOUT)) {
            throw new IllegalStateException("nothing completed within " + Endpoint.TIMEOUT);
        }
    }

    /** Takes completions and notes the last message's; returns how many there were. */
    private int poll() {
        CompletionCursor cursor = pair.client.cursor;
        int count = 0;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new IllegalStateException("message " + cursor.wrId() + ": " + cursor.reason());
            }
            completed = Math.max(completed, cursor.wrId());
            ended |= cursor.wrId() == END_OF_RUN;
            count++;
        }
        return count;
    }

    /** Number of the first message that must not be posted yet. */
    private long mostNow() {
        if (operation != Operation.SEND) {
            return Long.MAX_VALUE;
        }
        return depth + (long) WORD.getAcquire(pair.client.region.segment(), (long) creditOffset);
    }

    private boolean post(QueuePair queuePair, boolean last) {
        WrFlags flags = last || posted % SIGNAL_EACH == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
        return switch (operation) {
            case WRITE ->
                queuePair.postWrite(posted, pair.client.region, 0, messageBytes, remoteAddress, remoteKey, flags);
            case READ ->
                queuePair.postRead(posted, pair.client.region, 0, messageBytes, remoteAddress, remoteKey, flags);
            case SEND -> queuePair.postSend(posted, pair.client.region, 0, messageBytes, flags);
        };
    }

    /** Until the last message, which is signalled, has completed, and the end has been reported. */
    private void awaitAll() {
        while (completed < posted - 1 || !ended) {
            if (poll() == 0) {
                idle(true);
            }
        }
    }

    // The server.

    private void takeEndOfRun() {
        pair.server.awaitOne();
        pair.server.queuePair.postReceive(0, pair.server.region, 0, 0);
    }

    private void takeSends(long messages) {
        Endpoint server = pair.server;
        long end = received + messages;
        while (received < end) {
            int count = server.awaitOne();
            for (int i = 0; i < count; i++) {
                if (!server.queuePair.postReceive(received++, server.region, 0, messageBytes)) {
                    throw new IllegalStateException("a receive that has completed leaves no room for the next");
                }
            }
            if (received - credited >= depth / 4 || received == end) {
                credit();
            }
        }
    }

    private void credit() {
        Endpoint server = pair.server;
        server.region.segment().set(JAVA_LONG, creditOffset, received);
        long address = pair.client.region.address() + creditOffset;
        while (!server.queuePair.postWrite(
                -2, server.region, creditOffset, CREDIT_BYTES, address, pair.client.region.rkey(), CREDIT)) {
            server.rnic.progress();
        }
        credited = received;
    }

    @Override
    public void close() {
        pair.close();
    }
}
