package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicReference;
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
}
