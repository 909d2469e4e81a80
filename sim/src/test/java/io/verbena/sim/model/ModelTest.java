package io.verbena.sim.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The model detects what it is meant to detect. */
class ModelTest {

    private final World world = new World(5);
    private final SimRandom random = new SimRandom(5);
    private final ProtectionDomain domain =
            world.addHost(RnicOptions.defaults()).rnic().allocateProtectionDomain();
    private final Memory memory = new Memory(world, "the test", 4096, random);
    private final Zone zone = new Zone(memory, "zone", 1024, true, domain, AccessRight.LOCAL_WRITE);
    private final MemorySegment segment = zone.region().segment();

    private static byte flipped(MemorySegment segment, long offset) {
        return (byte) ~segment.get(ValueLayout.JAVA_BYTE, offset);
    }

    @Test
    void memory_strayByte_isFound() {
        memory.compare("before");
        segment.set(ValueLayout.JAVA_BYTE, 700, flipped(segment, 700));
        AssertionError found = assertThrows(AssertionError.class, () -> memory.compare("after"));
        assertTrue(String.valueOf(found.getMessage()).contains("byte 700 of zone"), found::toString);
    }

    @Test
    void memory_byteBesideAnArrival_isFound() {
        Piece piece = new Piece(zone, 100, 4);
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {1, 2, 3, 4}), 0, segment, 100, 4);
        memory.landed(List.of(piece), new byte[] {1, 2, 3, 4}, "a message");
        memory.compare("all of it was expected");
        segment.set(ValueLayout.JAVA_BYTE, 104, flipped(segment, 104));
        assertThrows(AssertionError.class, () -> memory.compare("one byte too many"));
    }

    @Test
    void memory_partialArrival_mayHoldOldAndNewBytesOnly() {
        Piece piece = new Piece(zone, 0, 2);
        byte[] bytes = {flipped(segment, 0), flipped(segment, 1)};
        segment.set(ValueLayout.JAVA_BYTE, 0, bytes[0]);
        memory.mayHaveLanded(List.of(piece), bytes, "half a message");
        segment.set(ValueLayout.JAVA_BYTE, 1, (byte) (bytes[1] ^ 1));
        assertThrows(AssertionError.class, () -> memory.mayHaveLanded(List.of(piece), bytes, "something else"));
    }

    @Test
    void zone_pieces_neverOverlap() {
        List<Piece> taken = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Optional<Piece> piece = zone.take(random.size(200));
            if (piece.isPresent()) {
                for (Piece other : taken) {
                    boolean apart = piece.get().offset() >= other.offset() + other.length()
                            || other.offset()
                                    >= piece.get().offset() + piece.get().length();
                    assertTrue(apart || piece.get().length() == 0 || other.length() == 0, piece + " and " + other);
                }
                taken.add(piece.get());
            }
            if (!taken.isEmpty() && (piece.isEmpty() || random.oneIn(2))) {
                zone.give(taken.remove(random.nextInt(taken.size())));
            }
        }
    }

    @Test
    void counter_addThatIsLostOrDoneTwice_isFound() {
        Counter counter = new Counter(world, zone, 0);
        Counter.Addition first = counter.add().orElseThrow();
        Counter.Addition second = counter.add().orElseThrow();
        segment.set(ValueLayout.JAVA_LONG, 0, first.addend());
        first.done(0);
        counter.settle();
        second.done(first.addend());
        assertThrows(AssertionError.class, counter::settle);
        segment.set(ValueLayout.JAVA_LONG, 0, first.addend() + 2 * second.addend());
        assertThrows(AssertionError.class, counter::settle);
    }

    @Test
    void counter_twoThatFoundTheSame_areFound() {
        Counter counter = new Counter(world, zone, 0);
        Counter.Addition first = counter.add().orElseThrow();
        Counter.Addition second = counter.add().orElseThrow();
        segment.set(ValueLayout.JAVA_LONG, 0, first.addend() + second.addend());
        first.done(0);
        second.done(0);
        assertThrows(AssertionError.class, counter::settle);
    }

    @Test
    void swapWord_valueOfNoSwap_isFound() {
        SwapWord word = new SwapWord(world, zone, 0);
        long before = word.value();
        assertEquals(before, word.post(before, 7));
        assertEquals(7, word.post(8, 9));
        segment.set(ValueLayout.JAVA_LONG, 0, 7);
        word.settle();
        segment.set(ValueLayout.JAVA_LONG, 0, 9);
        assertThrows(AssertionError.class, word::settle);
    }
}
