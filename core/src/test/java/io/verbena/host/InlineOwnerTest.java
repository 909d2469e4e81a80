package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that does not own an INLINE RNIC is refused before anything has changed. */
@Timeout(60)
class InlineOwnerTest {

    private final Rnic rnic =
            Rnic.open(RnicOptions.defaults().withProvider("iwarp").withProgress(Progress.INLINE));
    private final Site near = new Site(rnic);
    private final Site far = new Site(rnic);

    @AfterEach
    void close() {
        rnic.close();
    }

    /** The exception of a call in another thread. */
    private static Throwable refusalElsewhere(Runnable use) throws InterruptedException {
        AtomicReference<Throwable> refusal = new AtomicReference<>(new AssertionError("not refused"));
        Thread stranger = new Thread(() -> {
            try {
                use.run();
            } catch (Throwable e) {
                refusal.set(e);
            }
        });
        stranger.start();
        stranger.join();
        return refusal.get();
    }

    @Test
    void connectAndAccept_byAnotherThread_areRefusedAndCanBeRepeated() throws IOException, InterruptedException {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            assertInstanceOf(
                    IllegalStateException.class,
                    refusalElsewhere(() ->
                            rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults())));
            assertTrue(near.queuePair.connection().isEmpty(), "the queue pair is not in use");
            Connection connection =
                    rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            assertInstanceOf(
                    IllegalStateException.class,
                    refusalElsewhere(() -> request.startAccept(far.queuePair, ConnectionOptions.defaults())));
            request.startAccept(far.queuePair, ConnectionOptions.defaults());
            connection.awaitEstablished(Site.PATIENCE);
        }
    }

    @Test
    void takeOver_byAnotherThread_isRefusedAndTheStreamUnchanged() throws IOException, InterruptedException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel stream = SocketChannel.open(server.getLocalAddress());
                SocketChannel other = server.accept()) {
            assertInstanceOf(
                    IllegalStateException.class,
                    refusalElsewhere(() -> rnic.takeOver(near.queuePair, stream, StreamConversion.asInitiator())));
            assertTrue(stream.isOpen() && stream.isBlocking() && other.isOpen());
            assertEquals(IwarpQueuePairState.IDLE, near.queuePair.state());
            assertTrue(near.queuePair.connection().isEmpty(), "the queue pair is not in use");
        }
    }

    /** Requests that a thread can make at a connected queue pair. */
    private List<Consumer<QueuePair>> posts() {
        return List.of(
                it -> it.postSend(7, near.memory, 0, 8, WrFlags.SIGNALLED),
                it -> it.postReceive(7, near.memory, 0, 8),
                it -> it.post(it.newWorkRequest().send().gather(near.memory, 0, 8)),
                it -> it.post(it.newWorkRequest().receive().scatter(near.memory, 0, 8)),
                QueuePair::startBatch,
                QueuePair::ringDoorbell);
    }

    @Test
    void post_byAnotherThread_isRefusedAndNothingIsPosted() throws IOException, InterruptedException {
        Site.connect(near, far);
        for (Consumer<QueuePair> post : posts()) {
            assertInstanceOf(IllegalStateException.class, refusalElsewhere(() -> post.accept(near.queuePair)));
        }
        assertEquals(0, near.queuePair.query().sendOutstanding());
        assertEquals(0, near.queuePair.query().receiveOutstanding());
        Site.exchange(near, far, 8, 1); // the first completion is the one of the owner's own work
    }

    @Test
    void post_flushedByAnotherThread_isRefusedAndNothingIsPosted() throws IOException, InterruptedException {
        Site.connect(near, far);
        near.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        for (Consumer<QueuePair> post : posts()) {
            assertInstanceOf(IllegalStateException.class, refusalElsewhere(() -> post.accept(near.queuePair)));
        }
        assertFalse(near.cursor.next(), "work of the refused posts completes");
    }

    @Test
    void ringDoorbell_byAnotherThread_isRefusedAndTheOwnersBatchIsComplete() throws IOException, InterruptedException {
        Site.connect(near, far);
        far.queuePair.postReceive(1, far.memory, 0, 8);
        near.queuePair.startBatch();
        near.queuePair.postSend(2, near.memory, 0, 8, WrFlags.SIGNALLED);
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(near.queuePair::ringDoorbell));
        assertEquals(0, near.queuePair.query().sendOutstanding(), "the batch was published");
        near.queuePair.ringDoorbell();
        near.complete(2);
        far.complete(1);
    }

    @Test
    void close_byAnotherThread_isRefusedAndNothingIsClosed() throws IOException, InterruptedException {
        Site.connect(near, far);
        Listener listener = rnic.listen(StreamProbe.loopback(0));
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(near.queuePair::close));
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(listener::close));
        assertFalse(listener.closed());
        Site.exchange(near, far, 8, 1);
        listener.close();
        assertTrue(listener.closed());
        near.queuePair.close();
    }

    @Test
    void changeOfAQueue_byAnotherThread_isRefusedAndNothingIsChanged() throws IOException, InterruptedException {
        Site.connect(near, far);
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(() -> near.cq.resize(512)));
        assertEquals(256, near.cq.capacity());
        near.cq.moderate(4, Duration.ofMillis(1));
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(near.queuePair::close));
        assertInstanceOf(
                IllegalStateException.class,
                refusalElsewhere(() -> far.queuePair.modify(QueuePairChange.rights(Set.of()))));
        Site.exchange(near, far, 8, 1);
    }

    @Test
    void rnicClosed_byAnotherThread_listenersAreClosed() throws IOException, InterruptedException {
        Listener listener = rnic.listen(StreamProbe.loopback(0));
        rnic.progress();
        assertInstanceOf(IllegalStateException.class, refusalElsewhere(rnic::close));
        assertTrue(listener.closed());
        assertTrue(listener.nextRequest(Site.PATIENCE).isEmpty());
    }

    @Test
    void reject_byAnotherThread_isRefusedAndTheOwnerCanAccept() throws IOException, InterruptedException {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Connection connection =
                    rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            assertInstanceOf(IllegalStateException.class, refusalElsewhere(() -> request.reject(new byte[0])));
            request.startAccept(far.queuePair, ConnectionOptions.defaults());
            connection.awaitEstablished(Site.PATIENCE);
        }
    }
}
