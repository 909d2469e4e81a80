package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An interrupt ends every wait for data with an exception, and undoes what was started; nothing else is interruptible.
 */
class InterruptTest {

    /** Opens an RNIC of the provider that the tests are about. */
    Rnic open(RnicOptions options) {
        return new IwarpProvider().open(options);
    }

    private static final Duration LONG = Duration.ofSeconds(20);

    private final List<Rnic> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    private Site site(Progress progress) {
        Rnic rnic = open(RnicOptions.defaults().withProgress(progress));
        open.add(rnic);
        return new Site(rnic);
    }

    private static void interrupted(Executable wait) {
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, wait);
        assertTrue(Thread.interrupted(), "the status stays set");
    }

    @ParameterizedTest
    @EnumSource
    void waits_interrupted_sayIt(Progress progress) throws IOException {
        Site near = site(progress);
        Site far = site(progress);
        try (Listener listener = near.rnic.listen(StreamProbe.loopback(0))) {
            interrupted(() -> near.cq.await(LONG));
            interrupted(() -> near.cq.take(LONG));
            interrupted(() -> listener.nextRequest(LONG));
            interrupted(() -> near.rnic.pollAsyncEvents(LONG));
            while (near.rnic.progress(Duration.ofMillis(100)) > 0) {
                // what the listener has caused
            }
            interrupted(() -> near.rnic.progress(LONG));
        }
        Site.connect(near, far);
        Connection connection = near.queuePair.connection().orElseThrow();
        interrupted(() -> connection.awaitClosed(LONG));
        Site.exchange(near, far, 1000, 5);
    }

    @ParameterizedTest
    @EnumSource
    void entryIsThere_interrupted_isTakenAndTheStatusStays(Progress progress) throws Exception {
        Site near = site(progress);
        Site far = site(progress);
        Site.connect(near, far);
        near.queuePair.postSend(7, near.memory, 0, 8, WrFlags.SIGNALLED);
        assertTrue(near.cq.await(LONG));
        Thread.currentThread().interrupt();
        assertTrue(near.cq.await(LONG));
        assertEquals(CompletionStatus.SUCCESS, near.cq.take(LONG).status());
        assertFalse(near.cq.await(Duration.ZERO), "a look is no wait");
        assertTrue(Thread.interrupted());
    }

    @ParameterizedTest
    @EnumSource
    void connect_interrupted_isUndone(Progress progress) throws IOException {
        Site near = site(progress);
        Site far = site(progress);
        try (Listener listener = far.rnic.listen(StreamProbe.loopback(0))) {
            interrupted(() -> near.rnic.connect(near.queuePair, listener.localAddress()));
            Connection orphan = near.queuePair.connection().orElseThrow();
            assertEquals(ConnectionState.FAILED, orphan.state());
            assertEquals(IwarpQueuePairState.IDLE, near.queuePair.state());
        }
        // The same queue pair connects at the next try.
        Site.connect(near, far);
        Site.exchange(near, far, 1000, 5);
    }

    @Test
    void connect_peerSilent_timesOutAndIsUndone() throws IOException {
        Site near = site(Progress.ENGINE_THREAD);
        try (ServerSocketChannel silent = ServerSocketChannel.open()) {
            silent.bind(StreamProbe.loopback(0));
            ConnectionOptions hasty = ConnectionOptions.defaults().withTimeout(Duration.ofMillis(50));
            ConnectionException late = assertThrows(
                    ConnectionException.class,
                    () -> near.rnic.connect(near.queuePair, silent.getLocalAddress(), hasty));
            assertEquals(ConnectionException.Kind.TIMED_OUT, late.kind());
            assertEquals(
                    ConnectionState.FAILED,
                    near.queuePair.connection().orElseThrow().state());
        }
    }

    @Test
    void waiting_interruptedMeanwhile_endsAtOnce() throws Exception {
        Site near = site(Progress.ENGINE_THREAD);
        FutureTask<Boolean> wait = new FutureTask<>(() -> near.cq.await(LONG));
        Thread waiter = Thread.ofPlatform().start(wait);
        Until.holds("parked", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        waiter.interrupt();
        Throwable said = assertThrows(ExecutionException.class, wait::get);
        assertInstanceOf(WaitInterruptedException.class, said.getCause());
    }

    @ParameterizedTest
    @EnumSource
    void teardown_interrupted_isWholeAndKeepsTheStatus(Progress progress) throws IOException {
        Site near = site(progress);
        Site far = site(progress);
        Site.connect(near, far);
        Connection connection = near.queuePair.connection().orElseThrow();
        Thread.currentThread().interrupt();
        connection.close();
        assertEquals(ConnectionState.CLOSED, connection.state());
        near.queuePair.close();
        near.memory.close();
        near.cq.close();
        near.rnic.close();
        assertTrue(Thread.interrupted());
    }
}
