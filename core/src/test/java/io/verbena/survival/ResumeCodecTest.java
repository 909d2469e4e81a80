package io.verbena.survival;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages of the resume exchange as bytes, and what hostile bytes do. */
class ResumeCodecTest {

    private static final AssociationId ID = new AssociationId(0x0123_4567_89ab_cdefL, 7);
    private static final AssociationSecret SECRET = AssociationSecret.random(() -> 42);
    private static final ResumeMessage RESUME = new ResumeMessage(
            ResumeType.RESUME,
            1,
            5,
            new ResumePoint(17, 23, List.of(new RecordedResult(20, -1), new RecordedResult(22, 99))));

    private static byte[] bytes() {
        return ResumeCodec.encode(RESUME, ID, SECRET);
    }

    @Test
    void message_encodedAndOpened_isTheSame() {
        assertEquals(Optional.of(ID), ResumeCodec.id(bytes()));
        assertEquals(Optional.of(RESUME), ResumeCodec.open(bytes(), SECRET));
        assertEquals(48 + 2 * 16 + 16, bytes().length);
        assertEquals(
                "type=1 side=1 epoch=5 completed=17 executed=23 results=2",
                new ResumeHeader()
                        .wrap(MemorySegment.ofArray(bytes()), 0)
                        .describe(new StringBuilder())
                        .toString());
    }

    @Test
    void otherSecret_isNotOpened() {
        assertEquals(Optional.empty(), ResumeCodec.open(bytes(), AssociationSecret.random(() -> 43)));
    }

    @Test
    void anyBitChanged_isNotOpened() {
        for (int bit = 0; bit < 8 * bytes().length; bit++) {
            byte[] changed = bytes();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertFalse(
                    ResumeCodec.id(changed).isPresent()
                            && ResumeCodec.open(changed, SECRET).isPresent(),
                    "bit " + bit);
        }
    }

    @Test
    void anyOtherLength_hasNoId() {
        for (int length = 0; length < 200; length++) {
            if (length != bytes().length) {
                assertEquals(Optional.empty(), ResumeCodec.id(Arrays.copyOf(bytes(), length)), length + " bytes");
            }
        }
    }

    @Test
    void epochOutOfRange_hasNoId() {
        for (long epoch : new long[] {0, -1, ResumeCodec.MAX_EPOCH + 1}) {
            byte[] bytes =
                    ResumeCodec.encode(new ResumeMessage(ResumeType.RESUME, 0, epoch, ResumePoint.none()), ID, SECRET);
            assertEquals(Optional.empty(), ResumeCodec.id(bytes), "epoch " + epoch);
        }
    }

    @Test
    void impossibleNumbers_areNotOpenedThoughTheCodeIsRight() {
        RecordedResult result = new RecordedResult(3, 0);
        for (ResumePoint progress : List.of(
                new ResumePoint(-1, 0, List.of()),
                new ResumePoint(0, -1, List.of()),
                new ResumePoint(0, 3, List.of(result, result)),
                new ResumePoint(0, 3, List.of(new RecordedResult(0, 0))))) {
            byte[] bytes = ResumeCodec.encode(new ResumeMessage(ResumeType.RESUMED, 0, 2, progress), ID, SECRET);
            assertEquals(Optional.of(ID), ResumeCodec.id(bytes));
            assertEquals(Optional.empty(), ResumeCodec.open(bytes, SECRET), progress.toString());
        }
    }

    @Test
    void tooManyResults_cannotBeEncoded() {
        ResumePoint progress =
                new ResumePoint(0, 99, Collections.nCopies(ResumeCodec.MAX_RESULTS + 1, new RecordedResult(1, 1)));
        ResumeMessage message = new ResumeMessage(ResumeType.RESUME, 0, 2, progress);
        assertThrows(IllegalArgumentException.class, () -> ResumeCodec.encode(message, ID, SECRET));
    }

    @Test
    void unknownId_isAnsweredWithTheShortestMessage() {
        byte[] shortest =
                ResumeCodec.encode(new ResumeMessage(ResumeType.RESUME, 1, 5, ResumePoint.none()), ID, SECRET);
        byte[] answer = ResumeCodec.unknown(shortest);
        assertEquals(shortest.length, answer.length);
        assertEquals(Optional.of(ID), ResumeCodec.id(answer));
        assertEquals(
                Optional.of(new ResumeMessage(ResumeType.UNKNOWN, 0, 5, ResumePoint.none())),
                ResumeCodec.open(answer, SECRET));
    }

    @Test
    @Tag(Seeds.TAG)
    void anyBytes_areOpenedOrNot() {
        Seeds.each(2_000, seed -> {
            Random random = new Random(seed);
            byte[] bytes = bytes();
            for (int i = random.nextInt(6); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(bytes, random.nextBoolean() ? bytes.length : random.nextInt(700));
            if (ResumeCodec.id(cut).isPresent()) {
                ResumeCodec.open(cut, SECRET);
                assertTrue(ResumeCodec.unknown(cut).length <= cut.length);
            }
        });
    }

    @Test
    void code_isHmacSha256() {
        // RFC 4231 sections 4.2 and 4.3.
        assertCode("0b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b");
        assertCode("4a656665", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c7");
        assertEquals("secret of 32 bytes", SECRET.toString());
        assertThrows(IllegalArgumentException.class, () -> AssociationSecret.of(new byte[65]));
    }

    private static void assertCode(String key, String text, String code) {
        HexFormat hex = HexFormat.of();
        byte[] bytes = text.getBytes(US_ASCII);
        assertArrayEquals(
                hex.parseHex(code), AssociationSecret.of(hex.parseHex(key)).code(bytes, bytes.length));
    }
}
