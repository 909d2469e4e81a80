package io.verbena.tools.ping;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PingPatternTest {

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void fill_firstRounds_asRpingShowsThem() {
        assertEquals("rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr", text(64, 0));
        assertEquals("rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs", text(64, 1));
        assertEquals("rdma-ping-9: JKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyzA", text(64, 9));
    }

    @Test
    void fill_longerNumber_movesTheCharacters() {
        assertEquals("rdma-ping-57: zABCDEFGH", text(24, 57));
        assertEquals("rdma-ping-58: ABCDEFGHI", text(24, 58));
    }

    @Test
    void fill_longBuffer_goesRoundAfter58Characters() {
        MemorySegment segment = filled(65_535, 3);
        int prefix = "rdma-ping-3: ".length();
        for (int i = prefix; i < 65_534; i++) {
            assertEquals(65 + (3 + i - prefix) % 58, segment.get(ValueLayout.JAVA_BYTE, i));
        }
        assertEquals(0, segment.get(ValueLayout.JAVA_BYTE, 65_534));
    }

    @Test
    void fill_buffersTooShortForTheText_endWithZero() {
        assertEquals("", text(1, 0));
        assertEquals("rdma-pi", text(8, 12_345));
    }

    @Test
    void mismatch_sameRound_none() {
        assertEquals(-1, PingPattern.mismatch(filled(100, 7), 7));
    }

    @Test
    void mismatch_otherRoundOrDamage_found() {
        MemorySegment segment = filled(100, 7);
        assertEquals("rdma-ping-".length(), PingPattern.mismatch(segment, 8));
        segment.set(ValueLayout.JAVA_BYTE, 99, (byte) 1);
        assertEquals(99, PingPattern.mismatch(segment, 7));
    }

    @Test
    void text_controlCharacters_shownAsDots() {
        assertEquals("a..", PingPattern.text(arena.allocateFrom("a\u001b\n")));
    }

    @Test
    void offer_written_isBigEndian() {
        MemorySegment segment = arena.allocate(20);
        new PingOffer(0x0102030405060708L, 0x0a0b0c0d, 0x80000001L).write(segment, 4);
        byte[] expected = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, (byte) 0x80, 0, 0, 1};
        assertEquals(-1, segment.mismatch(MemorySegment.ofArray(expected)));
        assertEquals(new PingOffer(0x0102030405060708L, 0x0a0b0c0d, 0x80000001L), PingOffer.read(segment, 4));
    }

    private String text(int size, long round) {
        return new String(
                        filled(size, round).asSlice(0, size - 1).toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.US_ASCII)
                .stripTrailing();
    }

    private MemorySegment filled(int size, long round) {
        MemorySegment segment = arena.allocate(size);
        PingPattern.fill(segment, round);
        return segment;
    }
}
