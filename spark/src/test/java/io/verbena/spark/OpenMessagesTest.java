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
        OpenRequest read = OpenRequest.read(bytes, new OpenRequest(3, 4, 17, 1, blocks).write(bytes));
        assertEquals(List.of(3, 4, 17), List.of(read.slot(), read.released(), read.shuffle()));
        assertArrayEquals(blocks.maps(), read.blocks().maps());
        assertArrayEquals(blocks.first(), read.blocks().first());
        assertArrayEquals(blocks.end(), read.blocks().end());
    }

    @Test
    void request_ofAnotherLength_isNone() {
        int length =
                new OpenRequest(0, 0, 0, 0, new OpenRequest.Blocks(new long[1], new int[1], new int[1])).write(bytes);
        for (int wrong : new int[] {0, 15, length - 1, length + 1}) {
            assertThrows(IOException.class, () -> OpenRequest.read(bytes, wrong));
        }
        bytes.asByteBuffer().putInt(12, -1);
        assertThrows(IOException.class, () -> OpenRequest.read(bytes, 0));
    }

    @Test
    void reply_isReadAsItWasWritten() throws IOException {
        List<RemoteRegion> runs = List.of(new RemoteRegion(100, 30, 7), new RemoteRegion(900, 12, 8));
        OpenReply read = OpenReply.read(
                bytes, OpenReply.found(2, 6, new long[] {40, 0, 2}, runs).write(bytes));
        assertEquals(2, read.slot());
        assertEquals(6, read.place());
        assertArrayEquals(new long[] {40, 0, 2}, read.lengths());
        assertEquals(runs, read.runs());
        assertEquals("", read.failure());
    }

    @Test
    void reply_whoseLengthsDiffer_isNone() {
        int length = OpenReply.found(0, 0, new long[] {40}, List.of(new RemoteRegion(0, 41, 7)))
                .write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, length));
        int negative = OpenReply.found(0, 0, new long[] {-1, 1}, List.of()).write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, negative));
    }

    @Test
    void replyWithAnEmptyRange_isNone() {
        List<RemoteRegion> runs = List.of(new RemoteRegion(0, 40, 7), new RemoteRegion(40, 0, 7));
        int length = OpenReply.found(0, 0, new long[] {40}, runs).write(bytes);
        assertThrows(IOException.class, () -> OpenReply.read(bytes, length));
    }

    private static OpenReply withOutputs(int first, RemoteOutput... outputs) {
        return OpenReply.found(0, 0, new long[3], List.of()).withOutputs(first, List.of(outputs));
    }

    @Test
    void outputs_areReadAsTheyWereWritten() throws IOException {
        RemoteOutput one = new RemoteOutput(1L << 40, -7, new long[] {0, 0, 90});
        RemoteOutput two = new RemoteOutput(5, 8, new long[] {0, 1L << 33});
        OpenReply read = OpenReply.read(bytes, withOutputs(1, one, two).write(bytes));
        assertEquals(1, read.outputs().first());
        assertEquals(2, read.outputs().found().size());
        RemoteOutput found = read.outputs().found().getFirst();
        assertEquals(new RemoteRegion(1L << 40, 90, -7), found.range(1, 2));
        assertEquals(
                new RemoteRegion(5, 1L << 33, 8),
                read.outputs().found().getLast().range(0, 1));
    }

    @Test
    void outputsThatAreWrong_makeNoAnswer() {
        RemoteOutput good = new RemoteOutput(0, 1, new long[] {0, 5});
        for (OpenReply each : List.of(
                withOutputs(-1, good),
                withOutputs(3, good),
                withOutputs(Integer.MAX_VALUE, good),
                withOutputs(2, good, good),
                withOutputs(0, new RemoteOutput(0, 1, new long[] {1, 5})),
                withOutputs(0, new RemoteOutput(0, 1, new long[] {0, 5, 4})),
                withOutputs(0, new RemoteOutput(0, 1, new long[] {0, Long.MAX_VALUE})),
                withOutputs(0, new RemoteOutput(0, 1, new long[] {0})),
                withOutputs(0, new RemoteOutput(0, 1, new long[0])))) {
            int length = each.write(bytes);
            assertThrows(IOException.class, () -> OpenReply.read(bytes, length), each::toString);
        }
        int length = withOutputs(0, good).write(bytes);
        for (int wrong : new int[] {length - 1, length - 9, length + 1, length + 8}) {
            assertThrows(IOException.class, () -> OpenReply.read(bytes, wrong));
        }
        for (int count : new int[] {-1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            bytes.asByteBuffer().putInt(length - 20, count); // of the offsets
            assertThrows(IOException.class, () -> OpenReply.read(bytes, length));
        }
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
