package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransitionTable.Answer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Phaser;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What every engine uses, one by one. */
class BasePartsTest {

    private static final class Marked extends DoorbellStack.Bell {}

    @Test
    void bells_rung_comeLatestFirstAndOnce() {
        DoorbellStack bells = new DoorbellStack();
        Marked first = new Marked();
        Marked second = new Marked();
        assertTrue(bells.isEmpty());
        assertNull(bells.takeAll());
        assertTrue(bells.ring(first));
        assertTrue(bells.ring(second));
        assertFalse(bells.ring(first), "rung and not heard");
        assertFalse(bells.isEmpty());
        DoorbellStack.Bell taken = Objects.requireNonNull(bells.takeAll());
        assertTrue(bells.isEmpty());
        assertSame(second, taken);
        assertFalse(bells.ring(second), "taken and not heard yet");
        assertSame(first, DoorbellStack.next(taken));
        assertTrue(bells.ring(second), "heard: it may ring again");
        assertNull(DoorbellStack.next(first));
        assertSame(second, bells.takeAll());
        assertNull(DoorbellStack.next(second));
    }

    @Test
    void bells_manyRingers_noRingIsLost() throws InterruptedException {
        int ringers = 4;
        int rounds = 20_000;
        int bellsEach = 32; // a ringer with one bell would mostly wait for a processor on which the bell is heard
        DoorbellStack bells = new DoorbellStack();
        Thread[] threads = new Thread[ringers];
        Phaser together = new Phaser(ringers);
        for (int i = 0; i < ringers; i++) {
            Marked[] own = new Marked[bellsEach];
            Arrays.setAll(own, bell -> new Marked());
            threads[i] = Thread.ofPlatform().start(() -> {
                together.arriveAndAwaitAdvance();
                for (int round = 0; round < rounds; round++) {
                    while (!bells.ring(own[round % bellsEach])) {
                        Thread.yield(); // on a busy machine, to the thread that is to hear the bell
                    }
                }
            });
        }
        int heard = 0;
        while (heard < ringers * rounds) {
            DoorbellStack.Bell bell = bells.takeAll();
            if (bell == null) {
                Thread.yield();
            }
            while (bell != null) {
                heard++;
                bell = DoorbellStack.next(bell);
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(bells.isEmpty());
        assertEquals(ringers * rounds, heard);
    }

    @Test
    void slab_bytesPutAndSummed_areThere() {
        Slab slab = new Slab(64);
        assertEquals(64, slab.capacity());
        assertEquals(slab.segment().address(), slab.address());
        byte[] text = "123456789".getBytes(StandardCharsets.US_ASCII);
        slab.put(10, ByteBuffer.wrap(text), 0, 9);
        assertEquals('1', slab.segment().get(ValueLayout.JAVA_BYTE, 10));
        // RFC 3720 appendix B.4 and every catalogue of checksums: the check value of CRC-32C.
        assertEquals(0xe306_9283, slab.crc32c(10, 19));
        slab.crc32c(10, 14);
        assertEquals(0xe306_9283, slab.crc32cOn(14, 19));
        CRC32C other = new CRC32C();
        other.update(text, 2, 3);
        assertEquals((int) other.getValue(), slab.crc32c(12, 15), "a sum starts over");
        slab.put(0, ByteBuffer.wrap(text), 4, 2);
        assertEquals('5', slab.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertEquals('6', slab.segment().get(ValueLayout.JAVA_BYTE, 1));
        assertEquals(0, slab.segment().get(ValueLayout.JAVA_BYTE, 2));
        ByteBuffer range = slab.range(3, 7);
        assertEquals(3, range.position());
        assertEquals(4, range.remaining());
        assertEquals(slab.address() + 3, MemorySegment.ofBuffer(range).address());
    }

    @Test
    void digest_orderAndEveryBit_matter() {
        Set<Long> seen = new HashSet<>();
        for (int bit = 0; bit < 64; bit++) {
            assertTrue(seen.add(Digest.mix(5, 1L << bit)));
            assertTrue(seen.add(Digest.mix(1L << bit ^ 0x5555_5555_0000_1234L, 5)));
        }
        assertNotEquals(Digest.mix(Digest.mix(1, 2), 3), Digest.mix(Digest.mix(1, 3), 2));
        // Small values, which differ in few bits.
        Set<Long> small = new HashSet<>();
        for (int first = 0; first < 64; first++) {
            for (int then = 0; then < 64; then++) {
                assertTrue(small.add(Digest.mix(first, then)), first + " and " + then);
            }
        }
        // Trace hashes are compared between builds, so the function is part of the format.
        assertEquals(-6_451_570_137_325_310_335L, Digest.mix(1, 2));
    }

    @Test
    void digestOfFlags_theFirstOneIsTheHighestBit() {
        assertEquals(0, Digest.flags());
        assertEquals(0b1101, Digest.flags(true, true, false, true));
        assertEquals(0b0100, Digest.flags(false, true, false, false));
    }

    @Test
    void random_boundedNumbers_areInRangeAndUseTheUpperBits() {
        assertEquals(0, ((RandomSource) () -> 0).nextInt(10));
        assertEquals(9, ((RandomSource) () -> -1).nextInt(10));
        assertEquals(5, ((RandomSource) () -> 1L << 63).nextInt(10));
        assertEquals(0x7654_3210, ((RandomSource) () -> 0x7654_3210_0000_0000L).nextInt());
        assertEquals(0, ((RandomSource) () -> -1).nextInt(1));
    }

    private enum Lamp {
        OFF,
        ON,
        BROKEN
    }

    private enum Press {
        SWITCH,
        HIT,
        ASK
    }

    private static TransitionTable<Lamp, Press> table() {
        return TransitionTable.of(Lamp.class, Press.class)
                .row(Lamp.OFF, new Answer.Go<>(Lamp.ON), new Answer.Go<>(Lamp.BROKEN), new Answer.Ignore<>())
                .row(Lamp.ON, new Answer.Go<>(Lamp.OFF), new Answer.Go<>(Lamp.BROKEN), new Answer.Go<>(Lamp.OFF))
                .row(Lamp.BROKEN, new Answer.Misuse<>("buy another"), new Answer.Never<>(), new Answer.Ignore<>())
                .build();
    }

    @Test
    void machine_events_moveItAsItsTableSays() {
        StateMachine<Lamp, Press> lamp = new StateMachine<>(table(), Lamp.OFF);
        assertFalse(lamp.on(Press.ASK));
        assertEquals(Lamp.OFF, lamp.state());
        assertTrue(lamp.on(Press.SWITCH));
        assertEquals(Lamp.ON, lamp.state());
        assertTrue(lamp.on(Press.HIT));
        IllegalStateException misuse = assertThrows(IllegalStateException.class, () -> lamp.on(Press.SWITCH));
        assertEquals("buy another", misuse.getMessage());
        AssertionError bug = assertThrows(AssertionError.class, () -> lamp.on(Press.HIT));
        assertEquals("HIT in state BROKEN", bug.getMessage());
        assertEquals(Lamp.BROKEN, lamp.state());
    }

    @Test
    void table_incomplete_isRefused() {
        var one = TransitionTable.of(Lamp.class, Press.class)
                .row(Lamp.OFF, new Answer.Ignore<>(), new Answer.Ignore<>(), new Answer.Ignore<>());
        assertEquals(
                "states without an answer to at least one event: [ON, BROKEN]",
                assertThrows(IllegalArgumentException.class, one::build).getMessage());
        assertEquals(
                "ON answers 1 events",
                assertThrows(IllegalArgumentException.class, () -> one.row(Lamp.ON, new Answer.Ignore<>()))
                        .getMessage());
        assertEquals(
                "OFF has two answers to SWITCH",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> one.row(
                                        Lamp.OFF, new Answer.Ignore<>(), new Answer.Ignore<>(), new Answer.Ignore<>()))
                        .getMessage());
    }

    @Test
    void table_cellByCell_equalsTheOneByRows() {
        TransitionTable<Lamp, Press> cells = TransitionTable.of(Lamp.class, Press.class)
                .go(Lamp.OFF, Press.SWITCH, Lamp.ON)
                .ignore(Lamp.OFF, Press.ASK)
                .go(Lamp.ON, Press.SWITCH, Lamp.OFF)
                .go(Lamp.ON, Press.ASK, Lamp.OFF)
                .misuse("buy another", Lamp.BROKEN, Press.SWITCH)
                .ignore(Lamp.BROKEN, Press.ASK)
                .go(Lamp.OFF, Press.HIT, Lamp.BROKEN)
                .go(Lamp.ON, Press.HIT, Lamp.BROKEN)
                .otherwiseNever()
                .build();
        for (Lamp state : Lamp.values()) {
            for (Press event : Press.values()) {
                assertEquals(table().answer(state, event), cells.answer(state, event));
            }
        }
    }

    @Test
    void table_eventFromElsewhere_leavesGivenAnswers() {
        TransitionTable<Lamp, Press> cells = TransitionTable.of(Lamp.class, Press.class)
                .ignore(Lamp.BROKEN, Press.HIT)
                .fromElsewhere(Press.HIT, Lamp.BROKEN)
                .otherwiseNever()
                .build();
        assertEquals(Lamp.BROKEN, cells.next(Lamp.OFF, Press.HIT));
        assertFalse(cells.moves(Lamp.BROKEN, Press.HIT));
        assertEquals(Lamp.BROKEN, cells.next(Lamp.BROKEN, Press.HIT));
        assertEquals(
                "SWITCH cannot occur in state OFF",
                assertThrows(IllegalStateException.class, () -> cells.next(Lamp.OFF, Press.SWITCH))
                        .getMessage());
    }

    @Test
    void table_next_refusesMisuseByItsSentence() {
        assertEquals(Lamp.ON, table().next(Lamp.OFF, Press.SWITCH));
        assertEquals(
                "buy another",
                assertThrows(IllegalStateException.class, () -> table().next(Lamp.BROKEN, Press.SWITCH))
                        .getMessage());
    }

    @Test
    void table_asDiagram_hasAnEdgeAPairOfStates() {
        String diagram = table().mermaid("x");
        assertTrue(diagram.startsWith("        xOFF : OFF\n"), diagram);
        assertTrue(diagram.contains("        [*] --> xOFF\n"), diagram);
        assertTrue(diagram.contains("        xON --> xOFF : SWITCH<br/>ASK\n"), diagram);
        assertTrue(diagram.contains("        xOFF --> xBROKEN : HIT\n"), diagram);
        assertFalse(diagram.contains("xBROKEN -->"), diagram);
        assertEquals(8, diagram.lines().count());
    }
}
