package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RNICs of the provider roce with several engines, whose queue pairs share one packet port. */
class RoceEnginesTest {

    private static final int CONNECTIONS = 6;
    private static final RnicOptions ROCE =
            RnicOptions.defaults().withProvider("roce").withEngines(3);

    @TempDir
    Path folder;

    private final List<Rnic> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = Rnic.open(options);
        open.add(rnic);
        return rnic;
    }

    /** Each connection has a thread of its own; all exchange at the same time. */
    private static void exchangeAtOnce(Rnic left, Rnic right) throws Exception {
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Site near = new Site(left);
            Site far = new Site(right);
            Site.connect(near, far);
            int seed = i;
            tasks.add(new FutureTask<>(() -> {
                for (int length : new int[] {8, 5_000, 100_000}) {
                    Site.exchange(near, far, length, seed + length);
                    Site.exchange(far, near, length, seed);
                }
                return true;
            }));
        }
        tasks.forEach(Thread::startVirtualThread);
        for (FutureTask<Boolean> task : tasks) {
            assertTrue(task.get());
        }
    }

    @Test
    void manyConnections_exchangeAtOnce() throws Exception {
        exchangeAtOnce(rnic(ROCE), rnic(ROCE.withEngines(2)));
    }

    @Test
    void provider_offersSeveralEngines() {
        assertEquals(RnicOptions.MOST_ENGINES, RnicProvider.named("roce").maxEngines());
    }

    /** A thread that drives its RNIC itself exchanges with queue pairs on every engine of another one. */
    @Test
    void inlineRnic_queuePairsOnEveryEngineOfThePeer_exchange() throws Exception {
        Rnic inline = rnic(ROCE.withEngines(1).withProgress(Progress.INLINE));
        Rnic peer = rnic(ROCE);
        for (int i = 0; i < 3; i++) {
            Site near = new Site(inline);
            Site far = new Site(peer);
            Site.connect(near, far);
            for (int length : new int[] {8, 5_000, 100_000}) {
                Site.exchange(near, far, length, i);
                Site.exchange(far, near, length, i + length);
            }
        }
    }

    @Test
    void oneRnic_connectedToItself_captured() throws Exception {
        Path file = folder.resolve("engines.pcapng");
        Rnic rnic = rnic(ROCE.withCaptureFile(file.toString()));
        exchangeAtOnce(rnic, rnic);
        rnic.close();
        Dissection.check(file, "infiniband.bth");
    }

    @Test
    void jdkSockets_exchangeAtOnce() throws Exception {
        System.setProperty("io.verbena.sockets", "jdk");
        try {
            exchangeAtOnce(rnic(ROCE), rnic(ROCE));
        } finally {
            System.clearProperty("io.verbena.sockets");
        }
    }

    @Test
    void packetsAreLostDoubledAndHeld_exchangeAtOnce() throws Exception {
        PacketFaults faults =
                PacketFaults.none().withLoss(100).withDuplicates(100).withHolds(100, 100_000);
        Rnic left = new RoceProvider().open(ROCE, faults);
        open.add(left);
        exchangeAtOnce(left, rnic(ROCE));
    }

    /** Connections of all engines are opened and closed by several threads at moments of a random seed, while others work. */
    @Tag(Seeds.TAG)
    @Test
    void connectionsAreClosedAtAnyMoment_othersWork() throws Exception {
        Rnic left = rnic(ROCE);
        Rnic right = rnic(ROCE);
        long seed = Seeds.one(1);
        List<FutureTask<Integer>> closers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            closers.add(new FutureTask<>(() -> openAndClose(left, right, random)));
        }
        closers.forEach(Thread::startVirtualThread);
        exchangeAtOnce(left, right);
        for (FutureTask<Integer> each : closers) {
            assertEquals(12, each.get());
        }
    }

    private static int openAndClose(Rnic left, Rnic right, SplittableRandom random) throws IOException {
        int done = 0;
        for (int i = 0; i < 12; i++) {
            Site near = new Site(left);
            Site far = new Site(right);
            try (Listener listener = right.listen(StreamProbe.loopback(0))) {
                Connection opening =
                        left.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                int step = random.nextInt(4);
                if (step > 0) {
                    Optional<ConnectionRequest> request = listener.nextRequest(Site.PATIENCE);
                    Connection accepted =
                            request.orElseThrow().startAccept(far.queuePair, ConnectionOptions.defaults());
                    if (step > 1) {
                        opening.awaitEstablished(Site.PATIENCE);
                        accepted.awaitEstablished(Site.PATIENCE);
                        near.queuePair.postWrite(1, near.memory, 0, 60_000, far.memory.remote(), 0, WrFlags.SIGNALLED);
                    }
                    if (step == 3) {
                        opening.disconnect();
                        assertTrue(opening.awaitClosed(Site.PATIENCE), opening::toString);
                        assertTrue(accepted.awaitClosed(Site.PATIENCE), accepted::toString);
                    }
                }
                end(random.nextBoolean() ? near.queuePair : far.queuePair);
            } catch (ConnectionException e) {
                throw new IOException("step of connection " + i, e);
            }
            end(near.queuePair);
            end(far.queuePair);
            near.memory.close();
            far.memory.close();
            done++;
        }
        return done;
    }

    private static void end(QueuePair queuePair) {
        queuePair.close();
        assertFalse(queuePair
                .connection()
                .filter(it -> !it.awaitClosed(Duration.ofSeconds(20)))
                .isPresent());
    }
}
