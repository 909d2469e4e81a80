package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests for ranges and their answers, and bytes that are neither. */
class OpenMessagesTest {

    private final MemorySegment bytes = MemorySegment.ofArray(new byte[OpenReply.MOST_BYTES]);

    @Test
    void request_isReadAsItWasWritten() throws IOException {
        OpenRequest.Blocks blocks =
                new OpenRequest.Blocks(new long[] {5, 1L << 40}, new int[] {0, 7}, new int[] {1, 9});
        OpenRequest read = OpenRequest.read(bytes, new OpenRequest(3, 4, 17, blocks).write(bytes));
        assertEquals(List.of(3, 4, 17), List.of(read.slot(), read.released(), read.shuffle()));
        assertArrayEquals(blocks.maps(), read.blocks().maps());
        assertArrayEquals(blocks.first(), read.blocks().first());
        assertArrayEquals(blocks.end(), read.blocks().end());
    }

    @Test
    void request_ofAnotherLength_isNone() {
        int length = new OpenRequest(0, 0, 0, new OpenRequest.Blocks(new long[1], new int[1], new int[1])).write(bytes);
        for (int wrong : new int[] {0, 15, length - 1, length + 1}) {
            assertThrows(IOException.class, () -> OpenRequest.read(bytes, wrong));
        }
        bytes.set(OpenRequest.INT, 12, -1);
        assertThrows(IOException.class, () -> OpenRequest.read(bytes, 0));
    }

    @Test
    void reply_isReadAsItWasWritten() throws IOException {
        List<RemoteRegion> runs = List.of(new RemoteRegion(100, 30, 7), new RemoteRegion(900, 12, 8));
        OpenReply read = OpenReply.read(bytes, new OpenReply(2, 6, new long[] {40, 0, 2}, runs, "").write(bytes));
        assertEquals(2, read.slot());
        assertEquals(6, read.place());
        assertArrayEquals(new long[] {40, 0, 2}, read.lengths());
        assertEquals(runs, read.runs());
        assertEquals("", read.failure());
    }

    @Test
    void reply_whoseLengthsDiffer_isNone() {
        int length = new OpenReply(0, 0, new long[] {40}, List.of(new RemoteRegion(0, 41, 7)), "").write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, length));
        int negative = new OpenReply(0, 0, new long[] {-1, 1}, List.of(), "").write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, negative));
    }

    @Test
    void replyWithAnEmptyRange_isNone() {
        List<RemoteRegion> runs = List.of(new RemoteRegion(0, 40, 7), new RemoteRegion(40, 0, 7));
        int length = new OpenReply(0, 0, new long[] {40}, runs, "").write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, length));
    }

    @Test
    void failure_hasItsText() throws IOException {
        OpenReply read = OpenReply.read(bytes, OpenReply.failed(1, "gone").write(bytes));
        assertEquals("gone", read.failure());
        assertEquals(1, read.slot());
        OpenReply longest =
                OpenReply.read(bytes, OpenReply.failed(1, "x".repeat(100_000)).write(bytes));
        assertEquals(2_000, longest.failure().length());
    }
}
