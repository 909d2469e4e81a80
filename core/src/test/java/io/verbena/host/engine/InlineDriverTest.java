package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.HostEnvironment;
import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.host.socket.SocketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InlineDriverTest {

    private static final RnicOptions INLINE =
            RnicOptions.defaults().withProgress(Progress.INLINE).withSettings(Map.of(StandIn.SETTING, "0"));

    private final List<HostEnvironment> open = new ArrayList<>();

    private HostEnvironment environment(FakeEngine engine) {
        HostEnvironment environment = new HostEnvironment(INLINE);
        environment.drive(index -> engine);
        open.add(environment);
        return environment;
    }

    @AfterEach
    void close() {
        open.forEach(HostEnvironment::close);
    }

    @Test
    void twoInOneThread_waitOfOne_drivesBoth() throws IOException {
        HostEnvironment left = environment(new FakeEngine());
        HostEnvironment right = environment(new FakeEngine());
        StreamProbe server = new StreamProbe(right.streams(0), true);
        StreamProbe client = new StreamProbe(left.streams(0), false);
        StreamLoop.Acceptor acceptor = server.listen();
        left.streams(0).connect(acceptor.localAddress(), client);
        assertTrue(left.newWaitPoint().await(() -> client.connected() && server.connected(), Until.LONG_NS));
        client.send(5000);
        assertTrue(left.newWaitPoint().await(() -> client.received == 5000, Until.LONG_NS));
        client.send(5000);
        assertTrue(right.newWaitPoint().await(() -> client.received == 10_000, Until.LONG_NS));
        acceptor.close();
    }

    @Test
    void twoInOneThread_deadlineOfOther_passesWhileWaiting() {
        FakeEngine other = new FakeEngine();
        HostEnvironment left = environment(new FakeEngine());
        environment(other);
        other.deadlineNs = System.nanoTime() + 20_000_000;
        assertTrue(left.newWaitPoint().await(() -> other.firedAtNs != 0, Until.LONG_NS));
    }

    @Test
    void wait_conditionBecomesTrue_ends() {
        HostEnvironment environment = environment(new FakeEngine());
        AtomicInteger asked = new AtomicInteger();
        assertEquals(0, environment.progress(Until.LONG_NS, () -> asked.incrementAndGet() > 3));
        assertTrue(asked.get() > 3);
    }

    /** It is asked between polls, and when the thread is about to sleep. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 50})
    void wait_conditionThrows_isThrown_andTheEngineIsDrivenOn(int call) {
        FakeEngine engine = new FakeEngine();
        HostEnvironment environment = environment(engine);
        IllegalStateException own = new IllegalStateException("of the program");
        AtomicInteger asked = new AtomicInteger();
        BooleanSupplier condition = () -> {
            if (asked.incrementAndGet() >= call) {
                throw own;
            }
            return false;
        };
        assertSame(
                own, assertThrows(IllegalStateException.class, () -> environment.progress(Until.LONG_NS, condition)));
        engine.rung.incrementAndGet();
        assertTrue(environment.progress(Until.LONG_NS) > 0);
        assertEquals(0, environment.progress(0));
    }

    /** The sockets of the JDK close the descriptor of a registered channel only when their selector is used again. */
    @Test
    void streamReset_ownerTakesNoOtherTurn_peerIsResetAtOnce() throws IOException {
        try (EngineLoop loop = new SocketLoop(0)) {
            FakeEngine engine = new FakeEngine();
            InlineDriver driver = new InlineDriver(loop, engine, new InlineHandlers());
            StreamProbe server = new StreamProbe(loop, false);
            StreamLoop.Acceptor acceptor = server.listen();
            InetSocketAddress address = (InetSocketAddress) acceptor.localAddress();
            try (Socket peer = new Socket(address.getAddress(), address.getPort())) {
                Until.holds("accepted", server::connected, new InlinePoller(() -> driver)::progress);
                peer.setSoTimeout(10_000);
                engine.submit(() -> {
                    loop.detach(server.stream());
                    server.stream().close(true);
                });
                driver.wake();
                assertInstanceOf(SocketException.class, assertThrows(IOException.class, peer.getInputStream()::read));
            } finally {
                driver.close(Until.LONG_NS);
            }
        }
    }

    /** The owner reads the clock, and the stand-in takes a turn before it comes in. */
    @Test
    void turnOfTheStandIn_afterTheOwnerReadTheClock_noTurnIsEarlierThanTheLast() throws IOException {
        try (EngineLoop loop = new SocketLoop(0)) {
            FakeEngine engine = new FakeEngine();
            InlineDriver driver = new InlineDriver(loop, engine, new InlineHandlers());
            long readNs = System.nanoTime();
            driver.standIn();
            long lastNs = engine.turnedAtNs;
            assertTrue(lastNs - readNs >= 0);
            driver.round(readNs);
            assertEquals(lastNs, engine.turnedAtNs);
            driver.close(Until.LONG_NS);
        }
    }

    @Test
    void owner_wakes_oneTurnIsTaken() {
        FakeEngine engine = new FakeEngine();
        HostEnvironment environment = environment(engine);
        engine.rung.incrementAndGet();
        environment.wake(0);
        assertEquals(1, engine.turns);
        assertEquals(1, engine.heard);
    }

    @Test
    void insideATurn_otherEngineIsRung_itsTurnFollowsAndNestsNot() {
        FakeEngine first = new FakeEngine();
        FakeEngine second = new FakeEngine();
        HostEnvironment left = environment(first);
        HostEnvironment right = environment(second);
        List<String> order = new ArrayList<>();
        second.submit(() -> {
            order.add("second starts");
            first.submit(() -> order.add("first"));
            left.wake(0);
            assertEquals(0, left.progress(), "nothing happens inside a turn");
            order.add("second ends");
        });
        right.progress();
        assertEquals(List.of("second starts", "second ends", "first"), order);
    }

    @Test
    void insideATurn_wait_isRefused() {
        FakeEngine engine = new FakeEngine();
        HostEnvironment environment = environment(engine);
        engine.submit(() -> environment.newWaitPoint().await(() -> true, 1));
        assertThrows(IllegalStateException.class, () -> environment.wake(0));
        assertEquals(0, environment.progress(), "usable afterwards");
    }

    @Test
    void notOwner_uses_messageAdvisesToAdopt() throws Exception {
        HostEnvironment environment = environment(new FakeEngine());
        FutureTask<String> stranger = new FutureTask<>(() -> {
            assertThrows(IllegalStateException.class, environment::progress);
            assertThrows(
                    IllegalStateException.class,
                    () -> environment.newWaitPoint().await(() -> true, 1));
            return assertThrows(IllegalStateException.class, () -> environment.wake(0))
                    .getMessage();
        });
        Thread.ofPlatform().name("stranger").start(stranger);
        String sentence = stranger.get();
        assertTrue(sentence.contains("'stranger'") && sentence.contains("adopt()"), sentence);
    }

    @Test
    void adopted_newOwnerDrives_oldOneIsRefused() throws Exception {
        FakeEngine engine = new FakeEngine();
        HostEnvironment environment = environment(engine);
        HostEnvironment stays = environment(new FakeEngine());
        FutureTask<Integer> heir = new FutureTask<>(() -> {
            environment.adopt();
            engine.rung.incrementAndGet();
            return environment.progress();
        });
        CountDownLatch done = new CountDownLatch(1);
        Thread.ofPlatform().start(() -> {
            heir.run();
            done.countDown();
        });
        Until.holds("adopted", () -> done.getCount() == 0, stays::progress);
        assertEquals(1, heir.get());
        assertThrows(IllegalStateException.class, environment::progress);
        environment.adopt();
        engine.rung.incrementAndGet();
        environment.wake(0);
        assertEquals(2, engine.heard);
    }

    @Test
    void handlerSignalled_progress_runsItInTheOwnersThreadAfterTheTurn() {
        FakeEngine engine = new FakeEngine();
        HostEnvironment environment = environment(engine);
        List<Thread> ranIn = new ArrayList<>();
        engine.submit(() -> {
            environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
                ranIn.add(Thread.currentThread());
                assertTrue(environment.newWaitPoint().await(() -> true, 1), "a handler may wait");
            });
            assertTrue(ranIn.isEmpty());
        });
        environment.progress();
        assertEquals(List.of(Thread.currentThread()), ranIn);
    }

    @Test
    void nothingHappens_wait_endsInTimeAndDozes() {
        HostEnvironment environment = environment(new FakeEngine());
        environment(new FakeEngine());
        long cpuBefore = cpuTimeNs();
        long startNs = System.nanoTime();
        assertFalse(environment.newWaitPoint().await(() -> false, 300_000_000));
        long tookNs = System.nanoTime() - startNs;
        assertTrue(tookNs >= 300_000_000, "not early: " + tookNs);
        long burntNs = cpuTimeNs() - cpuBefore;
        assertTrue(burntNs < 150_000_000, "waiting must not burn a processor: " + burntNs);
    }

    @Test
    void nothingToDo_progressThatWaits_endsInTime() {
        HostEnvironment environment = environment(new FakeEngine());
        long startNs = System.nanoTime();
        assertEquals(0, environment.progress(20_000_000));
        assertTrue(System.nanoTime() - startNs >= 20_000_000);
    }

    @Test
    void anotherThreadSends_progressThatWaits_endsWhenTheBytesAreHere() throws IOException {
        HostEnvironment left = environment(new FakeEngine());
        StreamProbe server = new StreamProbe(left.streams(0), true);
        StreamLoop.Acceptor acceptor = server.listen();
        Thread.ofVirtual().start(() -> {
            try (SocketChannel peer = SocketChannel.open(acceptor.localAddress())) {
                peer.write(ByteBuffer.wrap(new byte[100]));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        long startNs = System.nanoTime();
        while (server.received < 100 && System.nanoTime() - startNs < Until.LONG_NS) {
            left.progress(Until.LONG_NS);
        }
        assertEquals(100, server.received);
        assertTrue(System.nanoTime() - startNs < Until.LONG_NS, "it must not wait for all of the time");
        acceptor.close();
    }

    private static long cpuTimeNs() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Test
    void virtualThread_owns_waitsAndConnects() throws Exception {
        FutureTask<Long> task = new FutureTask<>(() -> {
            HostEnvironment environment = environment(new FakeEngine());
            StreamProbe server = new StreamProbe(environment.streams(0), true);
            StreamProbe client = new StreamProbe(environment.streams(0), false);
            StreamLoop.Acceptor acceptor = server.listen();
            environment.streams(0).connect(acceptor.localAddress(), client);
            environment.newWaitPoint().await(() -> client.connected() && server.connected(), Until.LONG_NS);
            client.send(100);
            environment.newWaitPoint().await(() -> client.received == 100, Until.LONG_NS);
            acceptor.close();
            return client.received;
        });
        Thread.ofVirtual().start(task);
        assertEquals(100, task.get());
    }
}
