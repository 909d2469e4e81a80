package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.messaging.policy.Phase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcknowledgementTest {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long AT = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(192, 64);
    private final Acknowledgement ack = new Acknowledgement(
            7,
            700,
            4,
            RefusalReason.RECEIVER_MEMORY,
            new Acknowledgement.Ring(
                    0x1111222233334444L, 4L * SlotLayout.strideBytes(700), 0x55556666, 0x7777888899990000L));

    @Test
    void written_isReadAgain_whereTheDrawingSays() {
        memory.fill((byte) 0xff);
        ack.write(memory, AT);
        assertTrue(Acknowledgement.complete(memory, AT, 7));
        assertEquals(ack, Acknowledgement.read(memory, AT, 7));
        assertEquals(0x41434b4800000000L ^ 7, memory.get(LONG, AT));
        assertEquals(Acknowledgement.head(7), memory.get(LONG, AT));
        assertEquals(700, memory.get(INT, AT + 8));
        assertEquals(4, memory.get(INT, AT + 12));
        assertEquals(2, memory.get(INT, AT + 16));
        assertEquals(0, memory.get(INT, AT + 20));
        assertEquals(ack.ring().address(), memory.get(LONG, AT + 24));
        assertEquals(ack.ring().lengthBytes(), memory.get(LONG, AT + 32));
        assertEquals(ack.ring().rkey(), memory.get(INT, AT + 40));
        assertEquals(0, memory.get(INT, AT + 44));
        assertEquals(ack.ring().nonce(), memory.get(LONG, AT + 48));
        assertEquals(-1, memory.get(LONG, AT - 8), "before it");
        assertEquals(-1, memory.get(LONG, AT + Acknowledgement.BYTES), "behind it");
    }

    @Test
    void tail_isTheSumOfWhatIsBetween() {
        long[] words = {
            700 | 4L << 32,
            2,
            ack.ring().address(),
            ack.ring().lengthBytes(),
            Integer.toUnsignedLong(ack.ring().rkey()),
            ack.ring().nonce()
        };
        long sum = 0;
        for (long word : words) {
            sum = Long.rotateLeft(sum, 7) + word;
        }
        ack.write(memory, AT);
        assertEquals((0x41434b5400000000L ^ 7) + sum, memory.get(LONG, AT + Acknowledgement.TAIL_OFFSET));
    }

    @Test
    void otherRequest_isNotComplete() {
        ack.write(memory, AT);
        assertFalse(Acknowledgement.complete(memory, AT, 6));
        assertFalse(Acknowledgement.complete(memory, AT, 8));
        assertNotEquals(Acknowledgement.head(7), Acknowledgement.head(8));
        assertEquals(0x41434b4800000000L ^ 0xffffffffL, Acknowledgement.head(-1));
        assertEquals((0x41434b5400000000L ^ 0xffffffffL) + 3, Acknowledgement.tail(-1, 3));
    }

    @Test
    void anyBitBetweenTheFlagsDiffers_isNotComplete() {
        ack.write(memory, AT);
        for (long bit = 8 * 8; bit < 8 * 64; bit++) {
            long at = AT + bit / 8;
            byte before = memory.get(ValueLayout.JAVA_BYTE, at);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << bit % 8));
            assertFalse(Acknowledgement.complete(memory, AT, 7), "bit " + bit);
            memory.set(ValueLayout.JAVA_BYTE, at, before);
        }
        assertTrue(Acknowledgement.complete(memory, AT, 7));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, true",
        "0, 1, false",
        "-1, 1, false",
        "700, 0, false",
        "700, -4, false",
        "700, 1024, true",
        "700, 1025, false",
        "67108864, 1, true",
        "67108865, 1, false"
    })
    void sizes_possibleOrNot(int payload, int slots, boolean possible) {
        long length = (long) slots * SlotLayout.strideBytes(payload);
        assertEquals(possible, with(payload, slots, length).possible());
        assertFalse(with(payload, slots, length + 1).possible());
        assertFalse(with(payload, slots, length - 1).possible());
        assertEquals(64 << 20, Phase.MAX_PAYLOAD_BYTES);
    }

    private static Acknowledgement with(int payload, int slots, long length) {
        return new Acknowledgement(1, payload, slots, RefusalReason.NONE, new Acknowledgement.Ring(0, length, 0, 0));
    }

    @Test
    void refusal_unknownCode_isOneForItsSize() {
        for (RefusalReason refusal : RefusalReason.values()) {
            assertEquals(refusal, RefusalReason.of(refusal.ordinal()));
            assertFalse(refusal.description().isEmpty());
        }
        assertEquals(RefusalReason.TOO_LARGE, RefusalReason.of(-1));
        assertEquals(RefusalReason.TOO_LARGE, RefusalReason.of(RefusalReason.values().length));
        assertEquals(RefusalReason.TOO_LARGE, RefusalReason.of(Integer.MAX_VALUE));
    }

    @Tag(Seeds.TAG)
    @Test
    void randomBytes_neverComplete() {
        Random random = new Random(Seeds.one(1));
        byte[] noise = new byte[192];
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(noise);
            assertFalse(Acknowledgement.complete(
                    MemorySegment.ofBuffer(
                            java.nio.ByteBuffer.allocateDirect(192).put(0, noise)),
                    AT,
                    random.nextInt()));
        }
    }
}
