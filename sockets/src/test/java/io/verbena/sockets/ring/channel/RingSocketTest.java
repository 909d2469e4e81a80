package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.ring.RingSleep;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RingSocketTest {

    private static final long FOREVER = Long.MAX_VALUE;

    private OneProcess both;

    @BeforeEach
    void connect() throws IOException {
        both = OneProcess.established();
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

    private static Executor threads(boolean virtual) {
        return task -> (virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon()).start(task);
    }

    /** Waits in another thread; returns when it sleeps. */
    private static CompletableFuture<Boolean> sleeping(RingSocket socket, int bits, boolean virtual) {
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        threads(virtual).execute(() -> {
            try {
                outcome.complete(socket.awaitReady(bits, FOREVER));
            } catch (IOException e) {
                outcome.completeExceptionally(e);
            }
        });
        while (!socket.sleepsFor(bits, RingSleep.BY_BYTE) && !outcome.isDone()) {
            Thread.onSpinWait();
        }
        return outcome;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sleepingReader_isWokenByBytes(boolean virtual) throws Exception {
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE, virtual);
            write(both.client(), 3);
            assertTrue(reader.get());
            assertEquals(3, read(both.server(), 10));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sleepingWriterAndReaderOfOneSocket_areBothWoken(boolean virtual) throws Exception {
        for (int i = 0; i < 50; i++) {
            while (write(both.client(), OneProcess.RING) > 0) {
                Thread.onSpinWait();
            }
            CompletableFuture<Boolean> writer = sleeping(both.client(), RingSocket.WRITABLE, virtual);
            CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE, virtual);
            if (i % 2 == 0) {
                write(both.server(), 1);
                assertTrue(reader.get());
                assertFalse(writer.isDone());
                read(both.server(), OneProcess.RING);
                assertTrue(writer.get());
            } else {
                read(both.server(), OneProcess.RING);
                assertTrue(writer.get());
                assertFalse(reader.isDone());
                write(both.server(), 1);
                assertTrue(reader.get());
            }
            assertEquals(1, read(both.client(), 10));
        }
    }

    @Test
    void wait_endsWithTheTime_orAnInterrupt() throws Exception {
        assertFalse(both.client().awaitReady(RingSocket.READABLE, 1_000_000));
        Thread.currentThread().interrupt();
        assertFalse(both.client().awaitReady(RingSocket.READABLE, FOREVER));
        assertTrue(Thread.interrupted());
        assertFalse(both.client().sleepsFor(RingSocket.READABLE, RingSleep.BY_BYTE));
    }

    @Test
    void shutdownsOfTheSameSide_wakeItsSleepers() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE, false);
        both.client().shutdownInput();
        assertTrue(reader.get());
        assertEquals(-1, read(both.client(), 1));
    }

    @Test
    void close_wakesItsSleepers_andThoseOfThePeer() throws Exception {
        CompletableFuture<Boolean> reader = sleeping(both.client(), RingSocket.READABLE, false);
        CompletableFuture<Boolean> peer = sleeping(both.server(), RingSocket.READABLE, true);
        both.client().close();
        assertTrue(reader.get());
        assertTrue(peer.get());
        assertThrows(ClosedChannelException.class, () -> read(both.client(), 1));
        assertEquals(-1, read(both.server(), 1));
        assertEquals(1, write(both.server(), 1)); // as with TCP: the system learns from it that the peer is gone
        assertEquals(
                "Broken pipe",
                assertThrows(IOException.class, () -> write(both.server(), 1)).getMessage());
    }

    @Test
    void abort_isAReset_afterWhatWasWritten() throws Exception {
        write(both.client(), 2);
        both.client().abort();
        assertEquals(2, read(both.server(), 10));
        assertEquals(
                "Connection reset",
                assertThrows(IOException.class, () -> read(both.server(), 10)).getMessage());
        assertTrue(both.server().wasReset());
    }

    /** The process of the peer is killed: its end of the connection is closed, and it has said nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deathOfThePeer_wakesTheReader_whichReadsTheRest(boolean unread) throws Exception {
        write(both.client(), 2);
        if (unread) {
            write(both.server(), 1);
        }
        assertEquals(2, read(both.server(), 10));
        CompletableFuture<Boolean> reader = sleeping(both.server(), RingSocket.READABLE, false);
        both.clientTcp.close();
        assertTrue(reader.get());
        if (unread) {
            assertThrows(IOException.class, () -> read(both.server(), 10));
        } else {
            assertEquals(-1, read(both.server(), 10));
        }
        assertTrue(both.server().lineEnded());
    }

    /** A program that only polls looks at the connection now and then. */
    @Test
    void deathOfThePeer_isNoticedByOneThatPolls() throws Exception {
        both.clientTcp.close();
        long bytes = 0;
        while (bytes == 0) {
            bytes = read(both.server(), 10);
        }
        assertEquals(-1, bytes);
    }

    @Test
    void figures_countBothDirections() throws Exception {
        write(both.client(), 5);
        read(both.server(), 3);
        assertEquals(5, both.client().figures().output().bytes());
        assertEquals(
                new RingSocket.Direction(3, 1, 4096), both.server().figures().input());
    }
}
