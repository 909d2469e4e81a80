package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that wait for an RNIC with an engine thread, and drive its engine meanwhile. */
class BorrowedEngineTest {

    private static final int BYTES = 64;
    private static final Duration SHORT = Duration.ofMillis(1);

    private final List<Rnic> open = new ArrayList<>();
    private final List<FutureTask<Void>> tasks = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    private Rnic rnic(String provider) {
        return rnic(provider, Progress.ENGINE_THREAD);
    }

    private Rnic rnic(String provider, Progress progress) {
        Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider(provider).withProgress(progress));
        open.add(rnic);
        return rnic;
    }

    /** Part of a test in a thread of its own. */
    private interface Part {
        void run() throws Exception;
    }

    private Thread start(Part part) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            part.run();
            return null;
        });
        tasks.add(task);
        return Thread.ofPlatform().daemon().start(task);
    }

    private void join() throws InterruptedException, ExecutionException {
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
    }

    /** Takes the next completion of a program that waits for the RNIC, not for the CQ. */
    private static void next(Site site) {
        long startNs = System.nanoTime();
        while (!site.cursor.next()) {
            site.rnic.progress(Site.PATIENCE); // longer than the test allows: each message must end the wait
            assertTrue(System.nanoTime() - startNs < Until.LONG_NS / 2, "a message did not end the wait");
        }
        assertTrue(site.cursor.ok(), site.cursor::reason);
    }

    private static void receive(Site site) {
        assertTrue(site.queuePair.postReceive(1, site.memory, 0, BYTES));
    }

    private static void send(Site site) {
        assertTrue(site.queuePair.postSend(2, site.memory, BYTES, BYTES, WrFlags.UNSIGNALLED));
    }

    private static void echo(Site site, int rounds) {
        for (int i = 0; i < rounds; i++) {
            next(site);
            receive(site);
            send(site);
        }
    }

    private static void ping(Site site, int rounds) {
        for (int i = 0; i < rounds; i++) {
            send(site);
            next(site);
            receive(site);
        }
    }

    private Site[] pair(String provider) throws IOException {
        Site near = new Site(rnic(provider));
        Site far = new Site(rnic(provider));
        receive(near);
        receive(far);
        Site.connect(near, far);
        return new Site[] {near, far};
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void bothEndsBorrow_pingPong_everyMessageArrives(String provider) throws Exception {
        Site[] pair = pair(provider);
        start(() -> echo(pair[1], 5_000));
        ping(pair[0], 5_000);
        join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void borrowed_otherThreadsPost_everyMessageArrives(String provider) throws Exception {
        Site[] pair = pair(provider);
        int rounds = 2_000;
        List<Site> more = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Site near = new Site(pair[0].rnic);
            Site far = new Site(pair[1].rnic);
            receive(near);
            receive(far);
            Site.connect(near, far);
            more.add(near);
            more.add(far);
        }
        start(() -> echo(pair[1], rounds));
        for (int i = 0; i < more.size(); i += 2) {
            Site near = more.get(i);
            Site far = more.get(i + 1);
            start(() -> exchange(near, rounds, true));
            start(() -> exchange(far, rounds, false));
        }
        ping(pair[0], rounds);
        join();
    }

    /** Waits for the CQ, as a thread that does not borrow. */
    private static void exchange(Site site, int rounds, boolean first) {
        for (int i = 0; i < rounds; i++) {
            if (first) {
                send(site);
            }
            site.complete(1);
            receive(site);
            if (!first) {
                send(site);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void twoThreadsWaitForOneRnic_eachGetsItsMessages(String provider) throws Exception {
        Site[] pair = pair(provider);
        Site near = new Site(pair[0].rnic);
        Site far = new Site(pair[1].rnic);
        receive(near);
        receive(far);
        Site.connect(near, far);
        int rounds = 1_000;
        start(() -> echo(pair[1], rounds));
        start(() -> echo(far, rounds));
        start(() -> ping(near, rounds));
        ping(pair[0], rounds);
        join();
    }

    @Test
    void virtualThread_waits_getsItsMessages() throws Exception {
        Site[] pair = pair("shm");
        FutureTask<Void> task = new FutureTask<>(() -> echo(pair[1], 1_000), null);
        Thread.ofVirtual().start(task);
        ping(pair[0], 1_000);
        task.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm", "roce"})
    void borrowersAway_peerReads_engineThreadAnswers(String provider) throws Exception {
        Site[] pair = pair(provider);
        start(() -> echo(pair[1], 100));
        ping(pair[0], 100);
        join();
        Site near = pair[0];
        Site far = pair[1];
        assertTrue(near.queuePair.postRead(7, near.memory, 0, BYTES, far.memory.remote(), 0, WrFlags.SIGNALLED));
        near.complete(7);
    }

    @Test
    void borrowerAway_otherThreadPosts_isSentAtOnce() throws Exception {
        Site[] pair = pair("shm");
        for (int i = 0; i < 300; i++) {
            while (pair[0].rnic.progress(Duration.ofNanos(100_000)) > 0) {
                // until this thread has borrowed and left
            }
            start(() -> send(pair[0])).join();
            pair[1].complete(1);
            receive(pair[1]);
        }
    }

    @ParameterizedTest
    @EnumSource
    void progressWaits_wakeup_returns(Progress progress) throws Exception {
        CompletableFuture<Rnic> opened = new CompletableFuture<>();
        Thread waits = start(() -> {
            Rnic own = rnic("iwarp", progress);
            opened.complete(own);
            for (int i = 0; i < 100; i++) {
                assertEquals(0, quiet(own));
            }
        });
        Rnic rnic = opened.get(1, TimeUnit.MINUTES);
        long startNs = System.nanoTime();
        SplittableRandom random = new SplittableRandom(1);
        while (waits.isAlive()) {
            rnic.wakeup();
            LockSupport.parkNanos(random.nextInt(1_000_000)); // before, during and after the spin
        }
        assertTrue(System.nanoTime() - startNs < Until.LONG_NS);
        join();
    }

    private static int quiet(Rnic rnic) {
        int work = rnic.progress(Duration.ofHours(1));
        return work > 0 ? quiet(rnic) : work;
    }

    @ParameterizedTest
    @EnumSource
    void wakeupComesFirst_nextProgressReturnsAtOnceAndOnlyThat(Progress progress) {
        Rnic rnic = rnic("iwarp", progress);
        while (rnic.progress(SHORT) > 0) {
            // what opening has caused
        }
        rnic.wakeup();
        rnic.wakeup();
        assertEquals(0, quiet(rnic));
        long startNs = System.nanoTime();
        assertEquals(0, rnic.progress(Duration.ofMillis(20)));
        assertTrue(System.nanoTime() - startNs >= 20_000_000);
    }

    /** Runs an action in the calling thread, inside the engine that it has borrowed. */
    private void inside(Rnic rnic, Runnable action) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread me = Thread.currentThread();
        Runnable command = () -> {
            if (Thread.currentThread() == me && !done.get()) { // otherwise the engine thread has taken over
                done.set(true);
                action.run();
            }
        };
        start(() -> {
            while (!done.get()) {
                ((SoftRnic) rnic).engine(0).submit(command);
                LockSupport.parkNanos(100_000);
            }
        });
        Until.holds("it ran in this thread", done::get, () -> rnic.progress(SHORT));
        join();
    }

    @Test
    void insideTheBorrowedEngine_waitsAndRevocationsAreRefused() throws Exception {
        Site site = pair("iwarp")[0];
        List<Throwable> refused = new ArrayList<>();
        inside(site.rnic, () -> {
            refused.add(assertThrows(IllegalStateException.class, () -> site.cq.await(SHORT)));
            refused.add(assertThrows(IllegalStateException.class, site.memory::close));
            assertEquals(0, site.rnic.progress(SHORT));
        });
        assertEquals(2, refused.size());
    }

    @Test
    void insideTheBorrowedEngine_rnicIsClosed_closeReturnsAndSoDoesProgress() throws Exception {
        Rnic rnic = pair("iwarp")[0].rnic;
        inside(rnic, rnic::close);
        assertEquals(0, rnic.progress(Site.PATIENCE));
        assertThrows(IllegalStateException.class, () -> rnic.createCompletionQueue(1));
    }
}
