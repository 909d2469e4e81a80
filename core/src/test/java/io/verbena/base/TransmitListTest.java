package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A list of pieces beside the bytes that it stands for. */
class TransmitListTest {

    private final TransmitList list = new TransmitList(4_000);
    private final Slab target = new Slab(4_000);
    private byte[] expected = {};

    private void slab(int count) {
        int at = list.reserve(count);
        for (int i = 0; i < count; i++) {
            list.slab().segment().set(ValueLayout.JAVA_BYTE, at + i, append());
        }
    }

    private void view(int offset, int count) {
        ByteBuffer view = ByteBuffer.allocateDirect(offset + count + 3);
        for (int i = 0; i < count; i++) {
            view.put(offset + i, append());
        }
        list.addView(view, offset, count, MemorySegment.ofBuffer(view).address() + offset);
    }

    private byte append() {
        expected = Arrays.copyOf(expected, expected.length + 1);
        return expected[expected.length - 1] = (byte) (1 + expected.length % 120);
    }

    private byte[] copied(int start, int end, int offset) {
        target.segment().fill((byte) 0);
        list.copyOut(start, end, target, offset);
        assertEquals(0, offset == 0 ? 0 : target.segment().get(ValueLayout.JAVA_BYTE, offset - 1));
        assertEquals(0, target.segment().get(ValueLayout.JAVA_BYTE, offset + end - start));
        return target.segment().asSlice(offset, end - start).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void copyOut_everyRange_isThoseBytes() {
        slab(7);
        view(5, 1);
        slab(1);
        view(0, 11);
        view(2, 3);
        slab(4);
        assertEquals(27, list.bytes());
        for (int start = 0; start < 27; start++) {
            for (int end = start + 1; end <= 27; end++) {
                assertArrayEquals(Arrays.copyOfRange(expected, start, end), copied(start, end, (start * 5 + end) % 40));
            }
        }
    }

    @Test
    void pieces_inOrder_areTheBytes() {
        slab(7);
        slab(2); // the same piece
        view(5, 4);
        slab(3);
        assertEquals(3, list.pieces());
        byte[] all = new byte[list.bytes()];
        int at = 0;
        for (int i = 0; i < list.pieces(); i++) {
            ByteBuffer piece = list.piece(i);
            assertEquals(list.pieceLength(i), piece.remaining());
            assertEquals(
                    MemorySegment.ofBuffer(piece).address(),
                    list.pieceAddress(i),
                    "piece " + i + " lies where it says");
            piece.get(all, at, list.pieceLength(i));
            at += list.pieceLength(i);
        }
        assertArrayEquals(expected, all);
    }

    @Test
    void reserve_moreThanThereIs_isFullAndNothingIsTaken() {
        assertEquals(0, list.reserve(3_999));
        assertEquals(TransmitList.FULL, list.reserve(2));
        assertEquals(1, list.room());
        assertEquals(3_999, list.reserve(1));
        assertEquals(0, list.room());
        assertEquals(TransmitList.FULL, list.reserve(1));
        assertEquals(4_000, list.bytes());
        assertEquals(1, list.pieces());
    }

    @Test
    void unreserve_partOrAll_takesTheLastBytesBack() {
        slab(10);
        view(0, 5);
        list.reserve(8);
        list.unreserve(3);
        assertEquals(20, list.bytes());
        assertEquals(5, list.pieceLength(2));
        assertEquals(15, list.reserve(1));
        list.unreserve(6);
        assertEquals(2, list.pieces());
        assertEquals(15, list.bytes());
        assertEquals(4_000 - 10, list.room());
    }

    @Test
    void units_moreThanTheFirstArraysHold_keepEndAndTag() {
        for (int i = 0; i < 300; i++) {
            view(i % 3, 1 + i % 2);
            list.endUnit(i * 1_000_000_007L);
        }
        assertEquals(300, list.units());
        assertEquals(300, list.pieces());
        for (int i = 0; i < 300; i++) {
            assertEquals(i + 1 + (i + 1) / 2, list.unitEnd(i));
            assertEquals(i * 1_000_000_007L, list.unitTag(i));
        }
        assertArrayEquals(Arrays.copyOfRange(expected, 129, 450), copied(129, 450, 0));
    }

    @Test
    void reset_afterUse_isEmptyAndKeepsItsWay() {
        list.gathered(true);
        slab(10);
        list.endUnit(1);
        list.reset();
        assertEquals(0, list.bytes() + list.pieces() + list.units());
        assertEquals(4_000, list.room());
        assertTrue(list.gathered());
        assertEquals(0, list.reserve(1));
        list.gathered(false);
        assertFalse(list.gathered());
    }
}
