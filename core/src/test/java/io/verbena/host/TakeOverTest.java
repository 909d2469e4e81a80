package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.epoll.EpollStream;
import io.verbena.host.socket.SocketLoop;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversion with real sockets: a chat over TCP is converted to RDMA, or continues as a chat. */
class TakeOverTest {

    @TempDir
    Path folder;

    private final List<Rnic> open = new ArrayList<>();
    private SocketChannel left;
    private SocketChannel right;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(StreamProbe.loopback(0));
            left = SocketChannel.open(server.getLocalAddress());
            right = server.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        open.forEach(Rnic::close);
        left.close();
        right.close();
    }

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = new IwarpProvider().open(options);
        open.add(rnic);
        return rnic;
    }

    private static void say(SocketChannel stream, String message) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(message.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            stream.write(bytes);
        }
    }

    private static String hear(SocketChannel stream, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && stream.read(bytes) >= 0) {}
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @EnumSource
    void chatSwitched_carriesRdma(Progress progress) throws IOException {
        Rnic here = rnic(RnicOptions.defaults().withProgress(progress));
        Rnic there = rnic(RnicOptions.defaults().withProgress(progress));
        Site near = new Site(here);
        Site far = new Site(there);
        say(left, "switch?");
        assertEquals("switch?", hear(right, 7));
        StreamConversion go =
                StreamConversion.asResponder().withLastStreamMessage("yes".getBytes(StandardCharsets.US_ASCII));
        Connection b = there.takeOver(far.queuePair, right, go);
        there.progress();
        assertEquals("yes", hear(left, 3));
        Connection a = here.takeOver(near.queuePair, left, StreamConversion.asInitiator());
        a.awaitEstablished(Site.PATIENCE);
        b.awaitEstablished(Site.PATIENCE);
        // The stream belongs to the RNIC: streaming code cannot access it any more.
        Until.holds("the channel refuses", () -> refuses(left), here::progress);
        Site.exchange(near, far, 1000, 3);
        Site.exchange(far, near, 100_000, 4);
        a.disconnect();
        assertTrue(a.awaitClosed(Site.PATIENCE) && b.awaitClosed(Site.PATIENCE));
        assertEquals(ConnectionState.CLOSED, b.state());
        assertFalse(left.isOpen());
    }

    private static boolean refuses(SocketChannel stream) {
        try {
            stream.configureBlocking(true);
            return false;
        } catch (IllegalBlockingModeException | IOException e) {
            return true;
        }
    }

    @Test
    void rejected_chatGoesOnInItsBlockingMode() throws IOException {
        Rnic here = rnic(RnicOptions.defaults()
                .withCaptureFile(folder.resolve("a.pcapng").toString()));
        Rnic there = rnic(RnicOptions.defaults());
        Site near = new Site(here);
        Site far = new Site(there);
        right.configureBlocking(false);
        Connection b = there.takeOver(
                far.queuePair,
                right,
                StreamConversion.asResponder().withRejection(word -> Optional.of(new byte[] {7})));
        Connection a = here.takeOver(near.queuePair, left, StreamConversion.asInitiator());
        ConnectionException no = assertThrows(ConnectionException.class, () -> a.awaitEstablished(Site.PATIENCE));
        assertEquals(ConnectionException.Kind.REJECTED, no.kind());
        assertEquals(7, no.privateData()[0]);
        assertTrue(b.awaitClosed(Site.PATIENCE));
        ReturnedStream local = a.returnedStream().orElseThrow();
        ReturnedStream remote = b.returnedStream().orElseThrow();
        assertTrue(local.stream().isBlocking());
        assertFalse(remote.stream().isBlocking());
        assertFalse(local.stream().isRegistered() || remote.stream().isRegistered());
        remote.stream().configureBlocking(true);
        say(local.stream(), "then not");
        assertEquals("then not", hear(remote.stream(), 8));
        // It may be tried again, on the same queue pairs and the same stream.
        Connection again = there.takeOver(far.queuePair, right, StreamConversion.asResponder());
        here.takeOver(near.queuePair, left, StreamConversion.asInitiator()).awaitEstablished(Site.PATIENCE);
        again.awaitEstablished(Site.PATIENCE);
        Site.exchange(near, far, 5000, 9);
        here.close();
        assertTrue(Files.size(folder.resolve("a.pcapng")) > 5000, "size " + Files.size(folder.resolve("a.pcapng")));
    }

    @Test
    void unfitStreams_areRefusedWithASentence() throws IOException {
        Rnic here = rnic(RnicOptions.defaults());
        Site near = new Site(here);
        StreamConversion conversion = StreamConversion.asInitiator();
        try (SocketChannel unconnected = SocketChannel.open();
                Selector selector = Selector.open()) {
            assertThrows(IllegalArgumentException.class, () -> here.takeOver(near.queuePair, unconnected, conversion));
            left.configureBlocking(false);
            left.register(selector, 0);
            assertThrows(IllegalArgumentException.class, () -> here.takeOver(near.queuePair, left, conversion));
        }
        Connection taken = here.takeOver(near.queuePair, right, conversion);
        assertThrows(IllegalStateException.class, () -> here.takeOver(near.queuePair, left, conversion));
        taken.close();
    }

    /** What {@link OwnSockets} cannot find. */
    private SocketChannel[] unixPair() throws IOException {
        Path name = folder.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(name));
            SocketChannel near = SocketChannel.open(UnixDomainSocketAddress.of(name));
            return new SocketChannel[] {near, server.accept()};
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refused_forWhateverReason_channelIsAsItWas(boolean blocking) throws IOException {
        Rnic here = rnic(RnicOptions.defaults());
        Site near = new Site(here);
        Site foreign = new Site(rnic(RnicOptions.defaults()));
        StreamConversion conversion = StreamConversion.asInitiator();
        left.configureBlocking(blocking);
        assertThrows(IllegalArgumentException.class, () -> here.takeOver(foreign.queuePair, left, conversion));
        assertThrows(
                IllegalArgumentException.class,
                () -> here.takeOver(
                        near.queuePair,
                        left,
                        conversion.withOptions(ConnectionOptions.defaults().withTimeout(Duration.ZERO))));
        here.takeOver(near.queuePair, right, conversion);
        assertThrows(IllegalStateException.class, () -> here.takeOver(near.queuePair, left, conversion));
        SocketChannel[] unix = unixPair();
        unix[0].configureBlocking(blocking);
        assertThrows(RuntimeException.class, () -> here.takeOver(new Site(here).queuePair, unix[0], conversion));
        here.close();
        left.close();
        connect();
        left.configureBlocking(blocking);
        assertThrows(IllegalStateException.class, () -> here.takeOver(near.queuePair, left, conversion));
        for (SocketChannel channel : new SocketChannel[] {left, unix[0]}) {
            assertTrue(channel.isOpen());
            assertFalse(channel.isRegistered());
            assertEquals(blocking, channel.isBlocking());
        }
        unix[0].configureBlocking(true);
        say(unix[0], "still a chat");
        assertEquals("still a chat", hear(unix[1], 12));
        unix[0].close();
        unix[1].close();
    }

    @Test
    void decided_defaultProcessorBlocked_channelIsClosedAlready() throws Exception {
        Rnic here = rnic(RnicOptions.defaults());
        Rnic there = rnic(RnicOptions.defaults());
        Site near = new Site(here);
        Site far = new Site(there);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        near.cq.handler(Optional.of(here.setCompletionHandler(cq -> {
            blocked.countDown();
            Until.holds("released", () -> release.getCount() == 0);
        })));
        near.cq.requestNotification(Notification.NEXT);
        try {
            QueuePair gone = near.domain.createQueuePair(near.cq);
            gone.postReceive(1, near.memory, 0, 8);
            gone.close();
            blocked.await();
            Connection b = there.takeOver(far.queuePair, right, StreamConversion.asResponder());
            Connection a = here.takeOver(near.queuePair, left, StreamConversion.asInitiator());
            a.awaitEstablished(Site.PATIENCE);
            b.awaitEstablished(Site.PATIENCE);
            boolean second = EpollLoop.obstacle().isEmpty(); // elsewhere the connection lives by the very channel
            assertEquals(!second, left.isOpen());
            assertEquals(!second, right.isOpen());
            a.disconnect();
            assertTrue(a.awaitClosed(Site.PATIENCE));
            assertFalse(left.isOpen());
            connect();
            right.close();
            Connection failing =
                    here.takeOver(near.domain.createQueuePair(near.cq), left, StreamConversion.asInitiator());
            assertThrows(ConnectionException.class, () -> failing.awaitEstablished(Site.PATIENCE));
            assertFalse(left.isOpen());
        } finally {
            release.countDown();
        }
    }

    @Test
    void manyDescriptorsOpen_channelIsFoundWithoutLookingAtThem() throws IOException {
        List<SocketChannel> others = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                others.add(SocketChannel.open());
            }
            left.configureBlocking(false);
            right.configureBlocking(false);
            // The first one finds the selector's own descriptor as well.
            OwnSockets.duplicate(left).close(true);
            long before = OwnSockets.looks();
            EpollStream second = OwnSockets.duplicate(right);
            assertTrue(OwnSockets.looks() - before <= 3, "looked at " + (OwnSockets.looks() - before));
            assertEquals(right.getLocalAddress(), second.localAddress());
            assertFalse(right.isRegistered());
            second.close(true);
        } finally {
            for (SocketChannel each : others) {
                each.close();
            }
        }
    }

    private static int descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    @Test
    void connectGivenUp_descriptorIsFreed() throws IOException {
        List<EngineLoop> loops = new ArrayList<>(List.of(new SocketLoop(0), EpollLoop.openFastest(0)));
        for (EngineLoop each : loops) {
            try (EngineLoop loop = each) {
                loop.own();
                StreamProbe client = new StreamProbe(loop, false);
                int before = descriptors();
                // Documentation addresses (RFC 5737) never answer: the system retries for minutes.
                loop.connect(new InetSocketAddress("192.0.2.1", 9), client);
                loop.giveUpConnecting(client);
                Until.holds("the descriptor is free", () -> descriptors() <= before, loop::poll);
            }
        }
    }

    /** Bugs logged while a step runs, in whichever thread. */
    private static List<String> bugsDuring(Step step) throws Exception {
        List<String> bugs = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("io.verbena.rnic");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel() == Level.SEVERE) {
                    bugs.add(entry.getMessage() + ": " + entry.getThrown());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            step.run();
        } finally {
            logger.removeHandler(handler);
        }
        return bugs;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws Exception;
    }

    /** When the application closes its channel, with respect to the engine that takes the channel. */
    enum Moment {
        BEFORE_THE_ENGINE_HAS_IT,
        AFTER_THE_ENGINE_HAS_IT
    }

    /** With the sockets of the JDK, the RNIC uses the channel of the application. */
    @ParameterizedTest
    @EnumSource
    void jdkSockets_applicationClosesItsChannelAfterTakeOver_connectionFailsWithThatReason(Moment moment)
            throws Exception {
        System.setProperty("io.verbena.sockets", "jdk");
        try {
            Rnic here = rnic(RnicOptions.defaults());
            Site near = new Site(here);
            List<String> bugs = bugsDuring(() -> {
                CountDownLatch turnMayEnd = new CountDownLatch(1);
                ((SoftRnic) here).engine(0).submit(() -> awaitLatch(turnMayEnd));
                Connection a = here.takeOver(near.queuePair, left, StreamConversion.asInitiator());
                if (moment == Moment.AFTER_THE_ENGINE_HAS_IT) {
                    turnMayEnd.countDown();
                    Until.holds("the selector has the channel", left::isRegistered);
                }
                left.close();
                turnMayEnd.countDown();
                ConnectionException failed =
                        assertThrows(ConnectionException.class, () -> a.awaitEstablished(Site.PATIENCE));
                assertTrue(
                        String.valueOf(failed.getMessage()).contains("the application closed the socket"),
                        failed::toString);
            });
            assertEquals(List.of(), bugs);
        } finally {
            System.clearProperty("io.verbena.sockets");
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
