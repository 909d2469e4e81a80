package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection of a peer that reads map outputs of this executor. The peer has at most {@link #SLOTS} requests in progress, and as many
 * receives are posted whenever it may send.
 */
final class ServedPeer implements AutoCloseable {

    /** Requests of a connection in progress. */
    static final int SLOTS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(ServedPeer.class);

    // The peer may send again before the completion of the answer is polled here.
    private static final int ANSWERS = 2 * SLOTS;

    private final RangeServer server;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final MemoryRegion requests;
    private final MemoryRegion answers;
    private final AtomicBoolean closed = new AtomicBoolean();

    // Used by the handler only.
    private final Deque<Integer> freeAnswers = new ArrayDeque<>();
    private final Deque<OpenReply> waiting = new ArrayDeque<>();

    // Guarded by itself.
    private final Map<Integer, MemoryRegion> collected = new HashMap<>();
    private int lastPlace;

    ServedPeer(RangeServer server) {
        this.server = server;
        cq = server.rnic()
                .createCompletionQueue(
                        CompletionQueueOptions.capacity(SLOTS + ANSWERS + 4).withHandler(server.handler()));
        cursor = cq.cursor();
        queuePair = server.domain().createQueuePair(QueuePairOptions.of(cq).withDepths(ANSWERS, SLOTS));
        requests = server.domain().allocate((long) SLOTS * OpenRequest.MOST_BYTES, AccessRight.LOCAL_WRITE);
        answers = server.domain().allocate((long) ANSWERS * OpenReply.MOST_BYTES);
        for (int i = 0; i < ANSWERS; i++) {
            freeAnswers.add(i);
        }
        for (int i = 0; i < SLOTS; i++) {
            receive(i);
        }
    }

    CompletionQueue cq() {
        return cq;
    }

    /** Accepts, and closes itself when the connection has ended. */
    void accept(ConnectionRequest request) {
        try {
            Connection connection = request.startAccept(queuePair, ConnectionOptions.defaults());
            cq.requestNotification(Notification.NEXT);
            LOG.debug("Serves {}", connection.remoteAddress());
        } catch (Throwable e) {
            LOG.warn("A peer of the shuffle could not be accepted", e);
            close();
        }
    }

    private void receive(int index) {
        queuePair.postReceive(index, requests, (long) index * OpenRequest.MOST_BYTES, OpenRequest.MOST_BYTES);
    }

    /** A place of collected blocks, which the peer names when it has read them. */
    int collected(MemoryRegion place) {
        synchronized (collected) {
            if (closed.get()) {
                throw new IllegalStateException("the connection has ended");
            }
            lastPlace = lastPlace == Integer.MAX_VALUE ? 1 : lastPlace + 1;
            collected.put(lastPlace, place);
            return lastPlace;
        }
    }

    private void release(int place) {
        MemoryRegion region;
        synchronized (collected) {
            region = collected.remove(place);
        }
        if (region != null) {
            server.places().give(region);
        }
    }

    /** Called by the handler. */
    void onCompletion() {
        try {
            boolean ended = false;
            while (cursor.next()) {
                ended = !completed() || ended;
            }
            if (!ended) {
                cq.requestNotification(Notification.NEXT);
                return;
            }
        } catch (Throwable e) { // the peer learns it by the end of the connection
            if (!closed.get()) {
                LOG.warn("A connection of the shuffle is closed because of its peer", e);
            }
        }
        Thread.ofVirtual().name("verbena-shuffle-close").start(this::close);
    }

    /** Whether the connection goes on. */
    private boolean completed() throws IOException {
        if (!cursor.ok()) {
            return false;
        }
        int index = (int) cursor.wrId();
        if (cursor.opcode() == CompletionOpcode.SEND) {
            freeAnswers.add(index);
            if (!waiting.isEmpty()) {
                send(waiting.remove());
            }
            return true;
        }
        OpenRequest request = OpenRequest.read(
                requests.segment().asSlice((long) index * OpenRequest.MOST_BYTES, OpenRequest.MOST_BYTES),
                cursor.byteCount());
        release(request.released());
        OpenReply answer = server.answer(request, this);
        receive(index);
        if (freeAnswers.isEmpty()) {
            waiting.add(answer);
        } else {
            send(answer);
        }
        return true;
    }

    private void send(OpenReply answer) {
        int index = freeAnswers.remove();
        long at = (long) index * OpenReply.MOST_BYTES;
        int length = answer.write(answers.segment().asSlice(at, OpenReply.MOST_BYTES));
        queuePair.postSend(index, answers, at, length, WrFlags.SIGNALLED);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        server.ended(this);
        queuePair.close();
        cq.close();
        requests.close();
        answers.close();
        synchronized (collected) {
            collected.values().forEach(server.places()::give);
            collected.clear();
        }
    }
}
