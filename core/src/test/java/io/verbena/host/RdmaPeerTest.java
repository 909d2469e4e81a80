package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The convenience layer over real sockets. */
class RdmaPeerTest {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final AccessRight[] OPEN = {
        AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC
    };

    private final RdmaPeer server = RdmaPeer.open(4096, OPEN);
    private final RdmaPeer client = RdmaPeer.open(4096, AccessRight.LOCAL_WRITE);

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private void connect() throws Exception {
        SocketAddress address = server.listen(ANY_PORT);
        CompletableFuture<Void> accepted = CompletableFuture.runAsync(() -> {
            try {
                server.accept(MINUTE);
            } catch (ConnectionException e) {
                throw new CompletionException(e);
            }
        });
        client.connect(address);
        accepted.get(1, TimeUnit.MINUTES);
    }

    private static long get(CompletableFuture<Long> future) throws Exception {
        return future.get(1, TimeUnit.MINUTES);
    }

    @Test
    void writeThenSend_receiverFindsTheBytes() throws Exception {
        CompletableFuture<Long> received = server.receive(0, 0);
        connect();
        client.memory().segment().setString(0, "hello");
        CompletableFuture<Long> written = client.write(0, 6, 100);
        assertEquals(0, get(client.send(0, 0)));
        assertEquals(0, get(received));
        assertEquals("hello", server.memory().segment().getString(100));
        assertTrue(written.isDone(), "in order");
    }

    @Test
    void read_andAtomics_bringValues() throws Exception {
        connect();
        server.memory().segment().set(JAVA_LONG, 0, 40);
        assertEquals(8, get(client.read(16, 8, 0)));
        assertEquals(40, client.memory().segment().get(JAVA_LONG, 16));
        assertEquals(40, get(client.fetchAndAdd(0, 2)));
        assertEquals(42, get(client.compareAndSwap(0, 42, 7)));
        assertEquals(7, server.memory().segment().get(JAVA_LONG, 0));
    }

    @Test
    void peerWithoutRemoteRights_offersNothing() throws Exception {
        connect();
        assertTrue(client.remote().isPresent());
        assertFalse(server.remote().isPresent());
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> server.write(0, 1, 0));
        assertTrue(String.valueOf(refused.getMessage()).contains("remote rights"), refused::toString);
    }

    @Test
    void operationOutsideThePeersRegion_failsWithItsStatus_andAllThatFollow() throws Exception {
        connect();
        CompletableFuture<Long> outside = client.read(0, 8, 4096);
        ExecutionException failed = assertThrows(ExecutionException.class, () -> outside.get(1, TimeUnit.MINUTES));
        WorkFailedException cause = assertInstanceOf(WorkFailedException.class, failed.getCause());
        assertEquals(CompletionStatus.REMOTE_ACCESS, cause.status());
        CompletableFuture<Long> next = client.read(0, 8, 0);
        ExecutionException flushed = assertThrows(ExecutionException.class, () -> next.get(1, TimeUnit.MINUTES));
        assertEquals(
                CompletionStatus.FLUSHED,
                assertInstanceOf(WorkFailedException.class, flushed.getCause()).status());
    }

    @Test
    void operationsBeyondTheDepth_areRefusedAndTheRestCompletes() throws Exception {
        connect();
        List<CompletableFuture<Long>> begun = new ArrayList<>();
        try {
            for (int i = 0; i < 100_000; i++) {
                begun.add(client.fetchAndAdd(0, 1));
            }
        } catch (IllegalStateException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("in progress"), e::toString);
        }
        for (CompletableFuture<Long> each : begun) {
            get(each);
        }
        assertEquals(begun.size(), get(client.fetchAndAdd(0, 0)));
    }

    @Test
    void operationBegunFromAFuture_runs() throws Exception {
        connect();
        CompletableFuture<Long> last = client.fetchAndAdd(0, 1);
        for (int i = 0; i < 200; i++) {
            last = last.thenCompose(before -> client.fetchAndAdd(0, 1));
        }
        assertEquals(200, get(last));
    }

    @Test
    void continuation_waitsForAnotherOperation_bothComplete() throws Exception {
        connect();
        CompletableFuture<Long> outer = client.read(0, 8, 0);
        CompletableFuture<Long> sibling = client.fetchAndAdd(0, 1);
        CompletableFuture<Long> chained =
                outer.thenApply(_ -> sibling.join() + client.write(0, 8, 8).join());
        assertEquals(8, get(chained));
        assertEquals(1, get(client.fetchAndAdd(0, 0)), "the peer still works for all threads");
    }

    @Test
    void continuation_blocks_closeReturnsAndFailsTheRest() throws Exception {
        // Continuations of receives: both are there before a message completes the first, so that the library runs
        // them. A
        // continuation of a future that is complete already would block this thread.
        CompletableFuture<Long> first = client.receive(0, 0);
        CompletableFuture<Long> second = client.receive(0, 0);
        CompletableFuture<Long> never = client.receive(0, 0);
        CompletableFuture<Long> stuck = first.thenApply(_ -> never.join());
        CompletableFuture<Void> closed = second.thenRun(client::close);
        connect();
        server.send(0, 0);
        server.send(0, 0);
        closed.get(1, TimeUnit.MINUTES);
        ExecutionException failed = assertThrows(ExecutionException.class, () -> stuck.get(1, TimeUnit.MINUTES));
        assertInstanceOf(WorkFailedException.class, failed.getCause());
    }

    @Test
    void inlineRnic_isRefusedWithASentence() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> RdmaPeer.open(RnicOptions.defaults().withProgress(Progress.INLINE), 4096));
        assertTrue(String.valueOf(refused.getMessage()).contains("ENGINE_THREAD"), refused::toString);
    }

    @Test
    void manyThreads_eachOperationOnce() throws Exception {
        connect();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 200; j++) {
                    client.fetchAndAdd(8, 1).join();
                }
            }));
        }
        for (CompletableFuture<Void> each : threads) {
            each.get(1, TimeUnit.MINUTES);
        }
        assertEquals(1600, get(client.fetchAndAdd(8, 0)));
    }

    @Test
    void close_failsWhatIsUnderWay_andNothingBeginsAfterwards() throws Exception {
        CompletableFuture<Long> never = server.receive(0, 0);
        connect();
        server.close();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> never.get(1, TimeUnit.MINUTES));
        assertInstanceOf(WorkFailedException.class, failed.getCause());
        assertThrows(IllegalStateException.class, () -> server.receive(0, 0));
    }

    @Test
    void acceptWithoutPeer_saysSo() throws IOException {
        server.listen(ANY_PORT);
        ConnectionException nobody =
                assertThrows(ConnectionException.class, () -> server.accept(Duration.ofMillis(10)));
        assertTrue(String.valueOf(nobody.getMessage()).contains("10 ms"), nobody::toString);
        assertThrows(IllegalStateException.class, () -> server.accept(MINUTE));
    }
}
