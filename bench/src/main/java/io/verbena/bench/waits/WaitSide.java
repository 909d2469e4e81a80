package io.verbena.bench.waits;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** One side of a ping-pong, with an RNIC of its own. Used by the thread that made it. */
final class WaitSide implements AutoCloseable {

    private static final int BYTES = 64;
    private static final int RECEIVES = 16;

    final Rnic rnic;
    final CompletionQueue received;
    final CompletionCursor receiving;
    final CompletionCursor sending;
    private final WaitLoop loop;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private long messages;
    private boolean ended;

    WaitSide(String provider, Progress progress, WaitLoop loop) {
        this.loop = loop;
        rnic = Rnic.open(RnicOptions.defaults().withProvider(provider).withProgress(progress));
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        received = rnic.createCompletionQueue(2 * RECEIVES);
        CompletionQueue sent = rnic.createCompletionQueue(2 * RECEIVES);
        receiving = received.cursor();
        sending = sent.cursor();
        queuePair = domain.createQueuePair(QueuePairOptions.of(sent, received));
        memory = domain.allocate(BYTES, AccessRight.LOCAL_WRITE);
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(i, memory, 0, BYTES);
        }
        if (loop == WaitLoop.HANDLER) {
            received.handler(Optional.of(rnic.setCompletionHandler(this::onReady)));
            received.requestNotification(Notification.NEXT);
        }
    }

    private void onReady(CompletionQueue ready) {
        drain(receiving);
        ready.requestNotification(Notification.NEXT);
    }

    Listener listen(SocketAddress address) throws IOException {
        return rnic.listen(address);
    }

    void accept(Listener listener) throws IOException {
        listener.nextRequest(ConnectionOptions.defaults().timeout())
                .orElseThrow(() -> new IOException("the other side did not connect"))
                .accept(queuePair);
    }

    Connection connect(SocketAddress address) throws IOException {
        return rnic.connect(queuePair, address);
    }

    void drain(CompletionCursor cursor) {
        while (cursor.next()) {
            if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                onMessage(cursor);
            }
        }
    }

    void onMessage(CompletionCursor message) {
        if (!message.ok()) {
            ended = true; // the other side has left, or this side is being closed
            return;
        }
        messages++;
        queuePair.postReceive(message.wrId(), memory, 0, BYTES);
    }

    /** Waits for one more message. */
    void receive() throws TimeoutException {
        for (long before = messages; messages == before; ) {
            if (ended) {
                throw new IllegalStateException("the connection has ended");
            }
            loop.next(this);
        }
    }

    /** Sends a message, with a completion if the loop takes those as well. */
    void send() {
        WrFlags flags = loop.takesSends ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
        if (!queuePair.postSend(0, memory, 0, BYTES, flags)) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    @Override
    public void close() {
        rnic.close();
    }
}
