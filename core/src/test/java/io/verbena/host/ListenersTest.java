package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * If a listener blocks on a thread of the RNIC, the RNIC and all other listeners continue.
 */
class ListenersTest {

    private final Rnic rnic = new IwarpProvider().open(RnicOptions.defaults());
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch blocked = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        rnic.close();
    }

    private void block() {
        blocked.countDown();
        await(release);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A CQ handler on the default processor that does not return. */
    private void blockDefaultHandler() throws IOException {
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(rnic, near.queuePair, far.queuePair);
        far.cq.handler(Optional.of(rnic.setCompletionHandler(cq -> block())));
        far.cq.requestNotification(Notification.NEXT);
        far.queuePair.postReceive(1, far.memory, 0, 8);
        near.queuePair.postSend(1, near.memory, 0, 8, WrFlags.SIGNALLED);
        await(blocked);
    }

    @Test
    void handlerOnTheDefaultProcessorBlocks_connectionAndAsyncListenersAreNotified() throws IOException {
        blockDefaultHandler();
        CountDownLatch fatal = new CountDownLatch(1);
        rnic.onAsyncEvent(event -> {
            if (event.type() == AsyncEventType.CLOSE_COMPLETE) {
                fatal.countDown();
            }
        });
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        CountDownLatch established = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            opening.onStateChange((which, state) -> {
                if (state == ConnectionState.ESTABLISHED) {
                    established.countDown();
                } else if (state == ConnectionState.CLOSED) {
                    closed.countDown();
                }
            });
            listener.nextRequest(Site.PATIENCE).orElseThrow().accept(far.queuePair);
            await(established);
            opening.disconnect();
        }
        await(closed);
        await(fatal);
        assertEquals(IwarpQueuePairState.ERROR, ended(near));
    }

    private static Object ended(Site site) {
        site.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        return site.queuePair.query().state();
    }

    @Test
    void asyncListenerBlocks_connectionListenersAreNotified() throws IOException {
        rnic.onAsyncEvent(event -> block());
        Site lost = new Site(rnic);
        Site peer = new Site(rnic);
        Site.connect(rnic, lost.queuePair, peer.queuePair);
        lost.queuePair.close();
        await(blocked);
        List<ConnectionState> reported = new CopyOnWriteArrayList<>();
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            opening.onStateChange((which, state) -> reported.add(state));
            listener.nextRequest(Site.PATIENCE).orElseThrow().accept(far.queuePair);
            opening.awaitEstablished(Site.PATIENCE);
        }
        Until.holds("reported", () -> reported.contains(ConnectionState.ESTABLISHED));
    }

    @Test
    void oneListenerOfAConnectionBlocks_theOtherIsNotified() throws IOException {
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        List<ConnectionState> reported = new CopyOnWriteArrayList<>();
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            opening.onStateChange((which, state) -> block());
            opening.onStateChange((which, state) -> reported.add(state));
            listener.nextRequest(Site.PATIENCE).orElseThrow().accept(far.queuePair);
            await(blocked);
            Until.holds("reported", () -> reported.contains(ConnectionState.ESTABLISHED));
        }
    }

    @Test
    void handlerAndListenersBlock_theChannelThatWasTakenOverIsClosed() throws IOException {
        blockDefaultHandler();
        rnic.onAsyncEvent(event -> await(release));
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(StreamProbe.loopback(0));
                SocketChannel one = SocketChannel.open(server.getLocalAddress());
                SocketChannel other = server.accept()) {
            Connection asks = rnic.takeOver(near.queuePair, one, StreamConversion.asInitiator());
            Connection answers = rnic.takeOver(far.queuePair, other, StreamConversion.asResponder());
            asks.onStateChange((which, state) -> await(release));
            asks.awaitEstablished(Site.PATIENCE);
            answers.awaitEstablished(Site.PATIENCE);
            Until.holds("the application's channels are closed", () -> !one.isOpen() && !other.isOpen());
        }
    }

    @Test
    void rnicIsClosedInsideAListener_returns() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        rnic.onAsyncEvent(event -> {
            rnic.close();
            closed.countDown();
        });
        Site lost = new Site(rnic);
        Site peer = new Site(rnic);
        Site.connect(rnic, lost.queuePair, peer.queuePair);
        peer.queuePair.close();
        await(closed);
    }
}
