package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.ring.RingSleep;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostSharing;
import io.verbena.verbs.HostWait;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that sleep in the shared memory: what wakes them, and what does not. */
@Timeout(60)
class MemorySleepTest {

    private static final long FOREVER = Long.MAX_VALUE;
    private static final int ROUNDS = 200;

    private final HostMemory memory = RnicProvider.all().stream()
            .flatMap(provider -> provider.hostSharing().stream())
            .map(HostSharing::memory)
            .findFirst()
            .orElseThrow();
    private final AtomicInteger watched = new AtomicInteger();
    private final AtomicInteger forgotten = new AtomicInteger();
    private OneProcess both;

    /** Watches nothing by itself: the tests say what it has found. */
    private final LineWatch watch = new LineWatch() {
        @Override
        public Optional<HostWait> newWait() {
            return memory.newWait(2);
        }

        @Override
        public void watch(RingSocket socket) {
            watched.incrementAndGet();
        }

        @Override
        public void forget() {
            forgotten.incrementAndGet();
        }
    };

    @BeforeEach
    void connect() throws IOException {
        both = OneProcess.established(memory);
        both.client().watchBy(watch);
        both.server().watchBy(watch);
    }

    @AfterEach
    void end() throws IOException {
        both.close();
    }

    private static long write(RingSocket to, int bytes) throws IOException {
        return to.write(new ByteBuffer[] {ByteBuffer.allocate(bytes)}, 0, 1);
    }

    private static long read(RingSocket from, int most) throws IOException {
        return from.read(new ByteBuffer[] {ByteBuffer.allocate(most)}, 0, 1);
    }

    /** Waits in another thread; returns when it has announced its sleep. */
    private static CompletableFuture<Boolean> sleeping(RingSocket socket, int bits) {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                outcome.complete(socket.awaitReady(bits, FOREVER));
            } catch (IOException e) {
                outcome.completeExceptionally(e);
            }
        });
        while (!socket.sleepsFor(bits, RingSleep.BY_MEMORY) && !outcome.isDone()) {
            Thread.onSpinWait();
        }
        return outcome;
    }

    @Test
    void bytes_wakeTheReader_andNothingIsSentByTcp() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE);
            assertFalse(both.server().sleepsFor(RingSocket.READABLE, RingSleep.BY_BYTE));
            write(both.client(), 3);
            assertTrue(reader.get());
            assertEquals(3, read(both.server(), 10));
        }
        assertEquals(0, both.serverTcp.read(ByteBuffer.allocate(1)));
        assertEquals(1, watched.get());
    }

    /** Both sides sleep and wake each other without a pause, so that every order of announcement, look, sleep and wake-up occurs. */
    @Test
    void pingPong_losesNoWakeUp() throws Exception {
        CompletableFuture<Long> server = CompletableFuture.supplyAsync(() -> echo(both.server(), false));
        assertEquals(20L * ROUNDS, echo(both.client(), true));
        assertEquals(20L * ROUNDS, server.get());
    }

    private static long echo(RingSocket socket, boolean begins) {
        try {
            long bytes = 0;
            for (int i = 0; i < 20 * ROUNDS; i++) {
                if (begins) {
                    write(socket, 1);
                }
                while (read(socket, 1) == 0) {
                    socket.awaitReady(RingSocket.READABLE, FOREVER);
                }
                bytes++;
                if (!begins) {
                    write(socket, 1);
                }
            }
            return bytes;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void writerAndReaderOfOneSocket_areWokenByTheirOwnWords() throws Exception {
        for (int i = 0; i < 20; i++) {
            while (write(both.client(), OneProcess.RING) > 0) {
                Thread.onSpinWait();
            }
            CompletableFuture<Boolean> writer = sleeping(both.client(), RingSocket.WRITABLE);
            CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE);
            write(both.server(), 1);
            assertTrue(reader.get());
            assertFalse(writer.isDone());
            read(both.server(), OneProcess.RING);
            assertTrue(writer.get());
            assertEquals(1, read(both.client(), 10));
        }
    }

    @Test
    void time_endsTheWait() throws Exception {
        assertFalse(both.client().awaitReady(RingSocket.READABLE, 1_000_000));
        assertFalse(both.client().sleepsFor(RingSocket.READABLE, RingSleep.BY_MEMORY));
    }

    @Test
    void close_wakesItsSleepers_andThoseOfThePeer_beforeTheConnectionIsRead() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE);
        CompletableFuture<Boolean> peer = sleeping(both.server(), RingSocket.READABLE);
        both.client().close();
        assertTrue(reader.get());
        assertTrue(peer.get());
        assertThrows(ClosedChannelException.class, () -> read(both.client(), 1));
        assertEquals(-1, read(both.server(), 1));
        assertEquals(1, forgotten.get());
    }

    @Test
    void shutdownOfTheSameSide_wakesItsReader() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE);
        both.client().shutdownInput();
        assertTrue(reader.get());
        assertEquals(-1, read(both.client(), 1));
    }

    /** The process of the peer is killed: it wakes no one, and the watch finds the end of the connection. */
    @Test
    void deathOfThePeer_wakesTheReader_byTheWatch() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE);
        both.clientTcp.close();
        assertFalse(both.server().onWatched());
        assertTrue(reader.get());
        assertEquals(-1, read(both.server(), 1));
        assertTrue(both.server().lineEnded());
        assertFalse(both.server().sleepsInMemory());
    }

    /** A peer without native access sends bytes: the watch finds them, until this side waits for the connection itself. */
    @Test
    void peerThatWakesByBytes_isServed_andEndsTheSleepInMemory() throws Exception {
        int rounds = 0;
        while (both.server().sleepsInMemory()) {
            rounds++;
            CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE);
            both.clientTcp.write(ByteBuffer.allocate(1));
            boolean on = true;
            while (on) {
                on = both.server().onWatched();
            }
            write(both.client(), 1);
            assertTrue(reader.get());
            assertEquals(1, read(both.server(), 1));
        }
        assertTrue(rounds <= MemorySleep.MOST_WATCHES);
        CompletableFuture<Boolean> last = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                last.complete(both.server().awaitReady(RingSocket.READABLE, FOREVER));
            } catch (IOException e) {
                last.completeExceptionally(e);
            }
        });
        while (!both.server().sleepsFor(RingSocket.READABLE, RingSleep.BY_BYTE)) {
            Thread.onSpinWait();
        }
        write(both.client(), 1);
        assertTrue(last.get());
    }

    /** The peer writes any value to the word of its peer, and wakes: a wait ends at most too early, and the socket remains usable. */
    @Test
    void hostileWords_doNotKeepAClosedSocketAsleep() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE);
        for (int i = 0; i < ROUNDS; i++) {
            ByteBuffer words = both.lastMapping().bytes();
            for (int at = 1024; at < 2048; at += 64) {
                words.putLong(at + 0, at == 1024 + 128 ? Long.MIN_VALUE + i : words.getLong(at));
            }
            both.lastMapping().wake(1024 + 128);
        }
        both.server().close();
        assertTrue(reader.get(30, TimeUnit.SECONDS));
    }
}
