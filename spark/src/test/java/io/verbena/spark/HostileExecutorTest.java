package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An executor of the application, which has its secret and does what it wants. Others are served as before. */
class HostileExecutorTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final OpenRequest.Blocks ONE_BLOCK =
            new OpenRequest.Blocks(new long[] {1}, new int[] {0}, new int[] {1});

    @TempDir
    private Path directory;

    private TwoExecutors both;
    private byte[] data;

    // Of the hostile one.
    private CompletionQueue cq;
    private CompletionCursor cursor;
    private QueuePair queuePair;
    private MemoryRegion sent;
    private MemoryRegion received;

    @BeforeEach
    void open() throws IOException {
        both = new TwoExecutors(directory);
        data = both.output(1, 100_000);
        ProtectionDomain domain = both.clientRnic.allocateProtectionDomain();
        cq = both.clientRnic.createCompletionQueue(CompletionQueueOptions.capacity(64));
        cursor = cq.cursor();
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(16, 16));
        sent = domain.allocate(OpenRequest.MOST_BYTES);
        received = domain.allocate(16L * OpenReply.MOST_BYTES, AccessRight.LOCAL_WRITE);
        for (int i = 0; i < 16; i++) {
            queuePair.postReceive(i, received, (long) i * OpenReply.MOST_BYTES, OpenReply.MOST_BYTES);
        }
        both.clientRnic.connect(
                queuePair,
                both.server().address(),
                ConnectionOptions.defaults().withPrivateData(TwoExecutors.secret()));
    }

    @AfterEach
    void close() {
        both.close();
    }

    /** Whether the next work completes without an error. */
    private boolean completes() {
        assertTrue(cq.await(PATIENCE), "nothing completes");
        return cursor.next() && cursor.ok();
    }

    private RemoteRegion range() throws IOException {
        int length = new OpenRequest(0, 0, TwoExecutors.SHUFFLE, 0, ONE_BLOCK).write(sent.segment());
        queuePair.postSend(100, sent, 0, length, WrFlags.UNSIGNALLED);
        assertTrue(completes(), cursor::reason);
        assertEquals(CompletionOpcode.RECEIVE, cursor.opcode());
        return OpenReply.read(received.segment(), cursor.byteCount()).runs().getFirst();
    }

    private void requireServed() throws Exception {
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertArrayEquals(data, delivered.bytes("shuffle_4_1_0"));
        delivered.release();
        assertArrayEquals(data, Files.readAllBytes(both.data(1)));
    }

    @Test
    void writeToAnOutput_isRefusedByItsKey() throws Exception {
        RemoteRegion range = range();
        queuePair.postWrite(101, sent, 0, 8, range, 0, WrFlags.SIGNALLED);
        // A Write may be complete here before the other side refuses it: then the connection ends.
        while (completes()) {
            assertFalse(cursor.opcode() == CompletionOpcode.RECEIVE, "an answer to no request");
        }
        requireServed();
    }

    @Test
    void readBeyondAnOutput_isRefusedByItsKey() throws Exception {
        RemoteRegion range = range();
        queuePair.postRead(101, received, 0, 8, range.address() + range.length(), range.rkey(), WrFlags.SIGNALLED);
        assertFalse(completes(), "a Read of bytes beyond the output has succeeded");
        requireServed();
    }

    @Test
    void bytesThatAreNoRequest_endTheirConnectionOnly() throws Exception {
        requireServed();
        sent.segment().fill((byte) 0xa5);
        queuePair.postSend(101, sent, 0, 1_000, WrFlags.UNSIGNALLED);
        assertFalse(completes(), "the connection goes on");
        requireServed();
    }

    @Test
    void moreRequestsThanThereAreSlots_areAnsweredOrEndTheirConnectionOnly() throws Exception {
        int length = new OpenRequest(0, 0, TwoExecutors.SHUFFLE, 0, ONE_BLOCK).write(sent.segment());
        for (int i = 0; i < 16; i++) {
            queuePair.postSend(100, sent, 0, length, WrFlags.SIGNALLED);
        }
        int answers = 0;
        for (int completed = 0; completed < 32 && completes(); completed++) {
            answers += cursor.opcode() == CompletionOpcode.RECEIVE ? 1 : 0;
        }
        assertTrue(answers <= 16);
        requireServed();
    }

    @Test
    void releasesOfPlacesThatItDoesNotHave_areIgnored() throws Exception {
        for (int place : new int[] {1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            int length =
                    new OpenRequest(0, place, TwoExecutors.SHUFFLE, 0, OpenRequest.Blocks.NONE).write(sent.segment());
            queuePair.postSend(100, sent, 0, length, WrFlags.UNSIGNALLED);
            assertTrue(completes(), cursor::reason);
        }
        assertEquals(0, both.server().places().takenBytes());
        requireServed();
    }

    @Test
    void blocksThatDoNotExist_areAFailureOfTheirRequest() throws Exception {
        long[] maps = {1, 1, 1, Long.MIN_VALUE};
        int[] first = {-1, 1, Integer.MAX_VALUE, 0};
        int[] end = {1, 0, Integer.MIN_VALUE, 1};
        for (int i = 0; i < maps.length; i++) {
            OpenRequest.Blocks block =
                    new OpenRequest.Blocks(new long[] {maps[i]}, new int[] {first[i]}, new int[] {end[i]});
            int length = new OpenRequest(0, 0, TwoExecutors.SHUFFLE, 0, block).write(sent.segment());
            queuePair.postSend(100, sent, 0, length, WrFlags.UNSIGNALLED);
            assertTrue(completes(), cursor::reason);
            OpenReply reply = OpenReply.read(
                    received.segment().asSlice(cursor.wrId() * OpenReply.MOST_BYTES, OpenReply.MOST_BYTES),
                    cursor.byteCount());
            assertFalse(reply.failure().isEmpty(), () -> Arrays.toString(reply.lengths()));
        }
        requireServed();
    }
}
