package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Termination;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * User memory becomes inaccessible during traffic: the operation fails with a reason, the peer is notified, the JVM
 * survives.
 */
class MemoryGoneTest {

    private static final int LENGTH = 256 * 1024;

    @TempDir
    Path folder;

    private Rnic nearRnic;
    private Rnic farRnic;

    /** Opens an RNIC of the provider that the tests are about. */
    Rnic open(RnicOptions options) {
        return new IwarpProvider().open(options);
    }

    @BeforeEach
    void openBoth() {
        nearRnic = open(RnicOptions.defaults());
        farRnic = open(RnicOptions.defaults());
    }

    @AfterEach
    void close() {
        nearRnic.close();
        farRnic.close();
    }

    private Connection connect(Site near, Site far) throws IOException {
        try (Listener listener = farRnic.listen(StreamProbe.loopback(0))) {
            Connection opening =
                    nearRnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            request.accept(far.queuePair);
            opening.awaitEstablished(Site.PATIENCE);
            return opening;
        }
    }

    /** Posts Writes until one fails; the status of the first that does. */
    private static CompletionStatus writeUntilFailure(Site site, MemoryRegion from, MemoryRegion to, Runnable midway) {
        for (int i = 0; i < 100_000; i++) {
            if (i == 20) {
                midway.run();
            }
            while (!site.queuePair.postWrite(i, from, 0, LENGTH, to.remote(), 0, WrFlags.SIGNALLED)) {
                Thread.onSpinWait();
            }
            assertTrue(site.cursor.next() || site.cq.await(Site.PATIENCE) && site.cursor.next(), "no completion");
            if (!site.cursor.ok()) {
                assertFalse(site.cursor.reason().isEmpty());
                return site.cursor.status();
            }
        }
        throw new AssertionError("no Write failed");
    }

    /** Both RNICs continue: new queue pairs between them transfer bytes. */
    private void assertAlive() throws IOException {
        Site near = new Site(nearRnic);
        Site far = new Site(farRnic);
        connect(near, far);
        Site.exchange(near, far, 10_000, 3);
    }

    @Test
    void sourceArenaClosed_write_failsAndOthersGoOn() throws IOException {
        Site near = new Site(nearRnic);
        Site far = new Site(farRnic);
        connect(near, far);
        Arena arena = Arena.ofShared();
        MemoryRegion local = near.domain.register(arena.allocate(LENGTH), AccessRight.LOCAL_WRITE);
        CompletionStatus status = writeUntilFailure(near, local, far.memory, () -> closeArena(arena));
        assertEquals(CompletionStatus.LOCAL_MEMORY, status);
        assertFalse(local.valid());
        assertAlive();
    }

    @Test
    void sinkArenaClosed_write_endsTheConnectionAndTellsBoth() throws IOException {
        Site near = new Site(nearRnic);
        Site far = new Site(farRnic);
        Connection connection = connect(near, far);
        Arena arena = Arena.ofShared();
        MemoryRegion remote =
                far.domain.register(arena.allocate(LENGTH), AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        writeUntilFailure(near, near.memory, remote, () -> closeArena(arena));
        assertTrue(connection.awaitClosed(Site.PATIENCE));
        assertFalse(connection.reason().isEmpty());
        assertTrue(sawRegionLost(), "no event about the lost region");
        assertAlive();
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void mappedFileTruncated_sourceOrSink_failsAndOthersGoOn(boolean source) throws IOException {
        Path file = folder.resolve("mapped");
        Site near = new Site(nearRnic);
        Site far = new Site(farRnic);
        connect(near, far);
        MemoryRegion mapped =
                (source ? near : far).domain.map(file, 0, LENGTH, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        mapped.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        MemoryRegion from = source ? mapped : near.memory;
        MemoryRegion to = source ? far.memory : mapped;
        writeUntilFailure(near, from, to, () -> truncate(file));
        Until.holds("the region knows that it is lost", () -> !mapped.valid(), Thread::onSpinWait);
        assertAlive();
    }

    @ParameterizedTest
    @CsvSource({
        "READ, true, true", "READ, true, false", "READ, false, true", "READ, false, false",
        "WRITE, true, true", "WRITE, true, false", "WRITE, false, true", "WRITE, false, false"
    })
    void truncatedFile_pinnedOrPageable_samePeersError_withATerminate(WorkOpcode opcode, boolean pinned, boolean crc)
            throws IOException {
        nearRnic.close();
        farRnic.close();
        nearRnic = open(RnicOptions.defaults().withCrc(crc));
        farRnic = open(RnicOptions.defaults().withCrc(crc));
        Path file = Files.write(folder.resolve("mapped"), new byte[LENGTH]);
        Site near = new Site(nearRnic);
        Site far = new Site(farRnic);
        Connection connection = connect(near, far);
        MemoryRegion remote = pinned
                ? far.domain.map(file, 0, LENGTH, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE)
                : pageable(far, file);
        near.queuePair.postRead(1, near.memory, 0, 100, remote.remote(), 0, WrFlags.SIGNALLED);
        near.complete(1);
        truncate(file);
        if (opcode == WorkOpcode.READ) {
            near.queuePair.postRead(2, near.memory, 0, 100_000, remote.remote(), 100_000, WrFlags.SIGNALLED);
        } else {
            near.queuePair.postWrite(2, near.memory, 0, 100_000, remote.remote(), 100_000, WrFlags.SIGNALLED);
            near.queuePair.postRead(3, near.memory, 0, 1, far.memory.remote(), 0, WrFlags.SIGNALLED);
        }
        assertTrue(connection.awaitClosed(Site.PATIENCE));
        // RFC 5040 section 4.8: RDMAP, remote operation error, catastrophic error, localized to the stream.
        Termination reported = connection.termination().orElseThrow(() -> new AssertionError(connection.reason()));
        assertEquals(
                "0 2 7 false",
                reported.layer() + " " + reported.errorType() + " " + reported.errorCode() + " " + reported.byUs());
        assertTrue(near.cursor.next());
        assertEquals(
                opcode == WorkOpcode.READ ? CompletionStatus.REMOTE_OPERATION : CompletionStatus.SUCCESS,
                near.cursor.status());
        assertTrue(sawRegionLost(), "no event about the file");
        assertAlive();
    }

    private MemoryRegion pageable(Site site, Path file) throws IOException {
        VirtualMemory memory = farRnic.openVirtualMemory(VirtualMemoryOptions.defaults());
        AddressSegment segment = memory.createAddressSpace("server").mapFile(file, 0, LENGTH, true);
        return site.domain.register(segment, 0, LENGTH, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
    }

    /** While a channel uses the memory an arena refuses to close: again, then. */
    private static void closeArena(Arena arena) {
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException e) {
                Thread.onSpinWait();
            }
        }
    }

    private static void truncate(Path file) {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(4096);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean sawRegionLost() {
        List<AsyncEvent> events = farRnic.pollAsyncEvents(Site.PATIENCE);
        for (int i = 0; i < 10; i++) {
            if (events.stream().anyMatch(e -> e.type() == AsyncEventType.REGION_LOST)) {
                return true;
            }
            events = farRnic.pollAsyncEvents(Site.PATIENCE);
        }
        return false;
    }
}
