package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.HeapBlocks;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes in the thread of the poster: what it needs, and what remains of it when a part is missing. */
class WriteNowTest {

    private static final int BYTES = 300_000;

    private final ManualWorld world = ManualWorld.direct();
    private Pair pair;

    @BeforeEach
    void connect() throws IOException {
        pair = new Pair(world).connect();
        pair.a.fill(1);
        ManualEnvironment.of(pair.a.rnic).alone = true;
    }

    @AfterEach
    void close() {
        world.close();
        assertEquals(0, blocks().direct);
    }

    private HeapBlocks blocks() {
        return world.sharedMemory.orElseThrow().blocks;
    }

    private static ByteBuffer source(boolean direct) {
        ByteBuffer source = direct ? ByteBuffer.allocateDirect(BYTES + 10) : ByteBuffer.allocate(BYTES + 10);
        for (int i = 0; i < source.capacity(); i++) {
            source.put(i, (byte) (i * 7 + (i >>> 8)));
        }
        return source;
    }

    private boolean writeNow(ByteBuffer source, long offset, int bytes) {
        return pair.a.queuePair.writeNow(source, 3, bytes, pair.b.memory.address() + offset, pair.b.memory.rkey());
    }

    private void learn() {
        assertFalse(writeNow(source(false), 0, 8));
        world.settle();
        assertEquals(1, blocks().direct);
    }

    private boolean arrived(ByteBuffer source, int offset, int bytes) {
        return pair.b.memory.segment().asSlice(offset, bytes).asByteBuffer().equals(source.slice(3, bytes));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void granted_peerStopped_bytesAreThereWhenItReturns(boolean direct) {
        learn();
        ByteBuffer source = source(direct);
        assertTrue(writeNow(source, 5, BYTES));
        assertTrue(arrived(source, 5, BYTES));
        assertEquals(0, source.position());
        assertEquals(List.of(), pair.a.polled());
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 5 + BYTES), "nothing after it was written");
    }

    @Test
    void notGranted_firstCallRequestsTheGrant() {
        assertFalse(writeNow(source(true), 0, BYTES));
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 1));
        world.settle();
        assertTrue(writeNow(source(true), 0, BYTES));
    }

    /** The thread cannot drive the engine, because another one does. */
    @Test
    void engineOfAnotherThread_nothingIsWritten() {
        learn();
        ManualEnvironment.of(pair.a.rnic).alone = false;
        assertFalse(writeNow(source(true), 0, BYTES));
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 1));
    }

    @Test
    void insideATurn_nothingIsWritten() {
        learn();
        boolean[] written = {true};
        pair.a.queuePair.endpoint().command(() -> written[0] = writeNow(source(true), 0, BYTES));
        world.settle();
        assertFalse(written[0]);
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 1));
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "1048576, 1", "1048570, 7", "9223372036854775807, 8"})
    void outsideOfTheRegion_nothingIsWritten(long offset, int bytes) {
        learn();
        assertFalse(writeNow(source(true), offset, bytes));
    }

    @Test
    void grantRevoked_nothingIsWritten() {
        learn();
        int before = pair.b.memory.rkey();
        pair.b.memory.renewKey();
        ByteBuffer source = source(true);
        assertFalse(pair.a.queuePair.writeNow(source, 3, BYTES, pair.b.memory.address(), before));
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 1));
    }

    @Test
    void peerFailed_nothingIsWritten_andNothingIsThrown() {
        learn();
        pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        world.settle();
        assertFalse(writeNow(source(true), 0, BYTES));
    }

    @Test
    void sendAfterIt_isDeliveredWhenTheBytesAreThere() {
        learn();
        ByteBuffer source = source(true);
        assertTrue(pair.b.queuePair.postReceive(9, pair.b.memory, BYTES, 8));
        assertTrue(writeNow(source, 0, BYTES));
        assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
        world.settle();
        assertEquals(List.of("9 SUCCESS"), pair.b.polled());
        assertTrue(arrived(source, 0, BYTES));
    }

    /** A channel that has these bytes, and does something between reading and returning. */
    private record Once(ByteBuffer bytes, Runnable meanwhile) implements ByteSource {

        @Override
        public int read(ByteBuffer target) {
            int count = Math.min(bytes.remaining(), target.remaining());
            target.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            meanwhile.run();
            return count == 0 ? -1 : count;
        }
    }

    private int writeNow(ByteSource channel, int most) throws IOException {
        return pair.a.queuePair.writeNow(channel, most, pair.b.memory.address(), pair.b.memory.rkey());
    }

    @Test
    void channel_granted_isReadOnce_andItsEndIsReported() throws IOException {
        learn();
        ByteBuffer source = source(true);
        Once channel = new Once(source.slice(3, 1000), () -> {});
        assertEquals(700, writeNow(channel, 700));
        assertTrue(arrived(source, 0, 700));
        assertEquals(0, pair.b.memory.segment().get(ValueLayout.JAVA_BYTE, 700), "not more than was asked for");
        assertEquals(300, writeNow(channel, 700));
        assertEquals(-1, writeNow(channel, 700));
    }

    @Test
    void channel_notGranted_isNotRead() throws IOException {
        Once channel = new Once(source(true), () -> {});
        assertEquals(QueuePair.IMPOSSIBLE, writeNow(channel, 100));
        assertEquals(0, channel.bytes.position());
    }

    /** The bytes were read and cannot be read again, so that silence would lose them. */
    @Test
    void channel_grantRevokedMeanwhile_isReported() {
        learn();
        Once channel = new Once(source(true), () -> assertThrows(VerbsException.class, pair.b.memory::renewKey));
        assertThrows(IOException.class, () -> writeNow(channel, 100));
    }

    @Test
    void rangeOutsideOfTheBuffer_isRejected() {
        learn();
        assertThrows(IndexOutOfBoundsException.class, () -> writeNow(source(true), 0, BYTES + 8));
    }

    @Test
    void withoutDirectAccess_nothingIsWritten() throws IOException {
        try (ManualWorld plain = ManualWorld.rings()) {
            Pair other = new Pair(plain).connect();
            ManualEnvironment.of(other.a.rnic).alone = true;
            for (int i = 0; i < 3; i++) {
                assertFalse(other.a.queuePair.writeNow(
                        source(true), 0, 8, other.b.memory.address(), other.b.memory.rkey()));
                plain.settle();
            }
        }
    }
}
