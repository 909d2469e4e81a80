package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.FaultPlan;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real RNICs over the loopback interface. */
class LoopbackTest {

    private static final int[] LENGTHS = {0, 1, 8, 4096, 40_000, 500_000};

    @TempDir
    Path folder;

    private final List<Rnic> open = new ArrayList<>();

    /** Opens an RNIC of the provider that the tests are about. */
    Rnic open(RnicOptions options, FaultPlan faults) {
        return new IwarpProvider().open(options, faults);
    }

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = open(options, FaultPlan.none());
        open.add(rnic);
        return rnic;
    }

    private Rnic rnic(Progress progress) {
        return rnic(RnicOptions.defaults().withProgress(progress));
    }

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    /** Connects a queue pair of one RNIC with one of another, in this thread alone. */
    private static void connect(Rnic nearRnic, Site near, Rnic farRnic, Site far) throws IOException {
        try (Listener listener = farRnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    nearRnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            Connection accepted = request.startAccept(far.queuePair, ConnectionOptions.defaults());
            opening.awaitEstablished(Site.PATIENCE);
            accepted.awaitEstablished(Site.PATIENCE);
        }
    }

    private static void exchangeBothWays(Site near, Site far) {
        for (int length : LENGTHS) {
            Site.exchange(near, far, length, length);
            Site.exchange(far, near, length, length + 5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneRnic_connectedToItself_sendWriteRead(Progress progress) throws IOException {
        Rnic rnic = rnic(progress);
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        connect(rnic, near, rnic, far);
        exchangeBothWays(near, far);
    }

    @ParameterizedTest
    @EnumSource
    void twoRnics_oneThread_sendWriteRead(Progress progress) throws IOException {
        Rnic left = rnic(progress);
        Rnic right = rnic(progress);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        exchangeBothWays(near, far);
    }

    @Test
    void inlineAndEngineThread_mixed_sendWriteRead() throws IOException {
        Rnic left = rnic(Progress.INLINE);
        Rnic right = rnic(Progress.ENGINE_THREAD);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        exchangeBothWays(near, far);
    }

    @Test
    void inlineRnic_roundsWithWork_areCounted() throws IOException {
        Rnic rnic = rnic(Progress.INLINE);
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        connect(rnic, near, rnic, far);
        Site.exchange(near, far, 1000, 3);
        Figures engine = rnic.figures().parts("engine").getFirst();
        assertTrue(engine.number(RnicFigures.ROUNDS) > 0, engine::toString);
        assertTrue(engine.values().stream().noneMatch(each -> each.figure().equals(RnicFigures.BUSY)));
    }

    @ParameterizedTest
    @EnumSource
    void crcAndMarkers_sendWriteRead(Progress progress) throws IOException {
        RnicOptions options =
                RnicOptions.defaults().withProgress(progress).withCrc(true).withMarkers(true);
        Rnic left = rnic(options);
        Rnic right = rnic(options.withIwarp(it -> it.withMaxFpduPayloadBytes(1424)));
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        exchangeBothWays(near, far);
    }

    @Test
    void severalEngines_manyConnections_allWork() throws IOException {
        RnicOptions options = RnicOptions.defaults().withEngines(3);
        Rnic left = rnic(options);
        Rnic right = rnic(options);
        List<Site> near = new ArrayList<>();
        List<Site> far = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            near.add(new Site(left));
            far.add(new Site(right));
            connect(left, near.get(i), right, far.get(i));
        }
        for (int i = 0; i < 12; i++) {
            Site.exchange(near.get(i), far.get(i), 20_000, i);
            Site.exchange(far.get(i), near.get(i), 20_000, i + 100);
        }
    }

    @Test
    void virtualThreads_waitOnTheirCqs_allAreServed() throws Exception {
        Rnic rnic = rnic(RnicOptions.defaults().withEngines(2));
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            connect(rnic, near, rnic, far);
            FutureTask<Integer> serving = new FutureTask<>(() -> echo(far, 100));
            FutureTask<Integer> asking = new FutureTask<>(() -> ask(near, 100));
            tasks.add(serving);
            tasks.add(asking);
            far.queuePair.postReceive(0, far.memory, 0, 64);
            Thread.ofVirtual().start(serving);
            Thread.ofVirtual().start(asking);
        }
        for (FutureTask<Integer> task : tasks) {
            assertEquals(100, task.get());
        }
    }

    /** Sends back what comes; one receive is posted already. */
    private static int echo(Site site, int rounds) {
        for (int i = 0; i < rounds; i++) {
            site.complete(2L * i);
            site.queuePair.postReceive(2L * i + 2, site.memory, 0, 64);
            site.queuePair.postSend(2L * i + 1, site.memory, 0, 64, WrFlags.SIGNALLED);
            site.complete(2L * i + 1);
        }
        return rounds;
    }

    private static int ask(Site site, int rounds) {
        for (int i = 0; i < rounds; i++) {
            site.queuePair.postReceive(1, site.memory, 64, 64);
            site.queuePair.postSend(2, site.memory, 0, 64, WrFlags.UNSIGNALLED);
            site.complete(1);
        }
        return rounds;
    }

    @ParameterizedTest
    @EnumSource
    void handlerRegistered_completion_runsIt(Progress progress) throws IOException {
        Rnic rnic = rnic(progress);
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        connect(rnic, near, rnic, far);
        AtomicInteger handled = new AtomicInteger();
        far.cq.handler(java.util.Optional.of(rnic.setCompletionHandler(cq -> {
            while (far.cursor.next()) {
                handled.incrementAndGet();
            }
            cq.requestNotification(Notification.NEXT);
        })));
        far.cq.requestNotification(Notification.NEXT);
        for (int i = 1; i <= 100; i++) {
            far.queuePair.postReceive(i, far.memory, 0, 64);
            near.queuePair.postSend(i, near.memory, 0, 64, WrFlags.SIGNALLED);
            near.complete(i);
            int expected = i;
            Until.holds("handled", () -> handled.get() == expected, rnic::progress);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nobodyListens_connect_isRefused(Progress progress) throws IOException {
        Rnic rnic = rnic(progress);
        Listener listener = rnic.listen(StreamProbe.loopback(0));
        InetSocketAddress dead = (InetSocketAddress) listener.localAddress();
        listener.close();
        Site site = new Site(rnic);
        ConnectionException refused = assertThrows(
                ConnectionException.class, () -> rnic.connect(site.queuePair, dead, ConnectionOptions.defaults()));
        assertEquals(ConnectionException.Kind.REFUSED, refused.kind(), refused.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void connected_disconnect_bothEndsSeeTheEnd(Progress progress) throws IOException {
        Rnic left = rnic(progress);
        Rnic right = rnic(progress);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        Connection closing = near.queuePair.connection().orElseThrow();
        closing.disconnect();
        assertTrue(closing.awaitClosed(Site.PATIENCE));
        assertTrue(far.queuePair.connection().orElseThrow().awaitClosed(Site.PATIENCE));
    }

    @Test
    void inlineRnic_usedByStranger_messageAdvisesToAdopt() throws Exception {
        Rnic rnic = rnic(Progress.INLINE);
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        connect(rnic, near, rnic, far);
        FutureTask<String> stranger = new FutureTask<>(() -> {
            String sentence = assertThrows(IllegalStateException.class, () -> near.cq.await(Duration.ofMillis(1)))
                    .getMessage();
            rnic.adopt();
            Site.exchange(near, far, 1000, 3);
            return sentence;
        });
        Thread.ofPlatform().start(stranger);
        assertTrue(stranger.get().contains("adopt()"), stranger.get());
        rnic.adopt();
        Site.exchange(far, near, 1000, 4);
    }

    @Test
    void emptyCq_await_endsInTime() {
        for (Progress progress : Progress.values()) {
            Site site = new Site(rnic(progress));
            long startNs = System.nanoTime();
            assertFalse(site.cq.await(Duration.ofMillis(20)));
            assertTrue(System.nanoTime() - startNs >= 20_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tornAndHeldUpStreams_sendWriteRead(Progress progress) throws IOException {
        FaultPlan faults = FaultPlan.none().withPieces(3000).withHolds(20, 100_000);
        Rnic left = open(RnicOptions.defaults().withProgress(progress), faults);
        open.add(left);
        Rnic right = rnic(progress);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        exchangeBothWays(near, far);
    }

    @ParameterizedTest
    @EnumSource
    void captured_sendWriteRead_isDissected(Progress progress) throws IOException {
        Path file = folder.resolve(progress + ".pcapng");
        Rnic left =
                rnic(RnicOptions.defaults().withProgress(progress).withCrc(true).withCaptureFile(file.toString()));
        Rnic right = rnic(progress);
        Site near = new Site(left);
        Site far = new Site(right);
        connect(left, near, right, far);
        exchangeBothWays(near, far);
        left.close();
        assertTrue(Files.size(file) > 2_000_000);
        Dissection.check(file, "iwarp_rdma");
    }
}
