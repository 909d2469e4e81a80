package io.verbena.sim.model;

import io.verbena.sim.World;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A word that any number of queue pairs add to. Each adds a bit of its own, so the word always shows which have added:
 * no add is lost or executed twice, and the returned values form one chain.
 */
final class Counter {

    private static final int MOST_ADDS = 63;

    private final World world;
    private final Piece word;
    private final List<Addition> additions = new ArrayList<>();

    /** One fetch-and-add. */
    static final class Addition {
        private final long bit;
        private boolean done;
        private long original;

        private Addition(long bit) {
            this.bit = bit;
        }

        long addend() {
            return bit;
        }

        /** The add succeeded and returned this value. */
        void done(long brought) {
            done = true;
            original = brought;
        }
    }

    Counter(World world, Zone zone, int index) {
        this.world = world;
        this.word = new Piece(zone, index * Long.BYTES, Long.BYTES);
        MemorySegment segment = zone.region().segment();
        segment.set(ValueLayout.JAVA_LONG, word.offset(), 0);
        zone.memory().wild(List.of(word));
    }

    Piece word() {
        return word;
    }

    /** Another add; empty if the word has no bit left. */
    Optional<Addition> add() {
        if (additions.size() == MOST_ADDS) {
            return Optional.empty();
        }
        Addition addition = new Addition(1L << additions.size());
        additions.add(addition);
        return Optional.of(addition);
    }

    /** No work is in progress any more: checks the word against all adds. */
    void settle() {
        long value = word.zone().region().segment().get(ValueLayout.JAVA_LONG, word.offset());
        List<Addition> done = new ArrayList<>();
        long all = 0;
        long mustBe = 0;
        for (Addition each : additions) {
            all |= each.bit;
            if (each.done) {
                mustBe |= each.bit;
                done.add(each);
            }
        }
        if ((value & mustBe) != mustBe || (value & ~all) != 0) {
            world.fail(String.format(
                    "fetch-and-add: the word is %016x, adds that succeeded make %016x, all that were tried %016x",
                    value, mustBe, all));
        }
        done.sort(Comparator.comparingInt(each -> Long.bitCount(each.original)));
        long before = 0;
        for (Addition each : done) {
            if ((each.original & before) != before || (each.original & each.bit) != 0 || (each.original & ~all) != 0) {
                world.fail(String.format(
                        "fetch-and-add: %016x was there when %016x was added, but %016x had been added before",
                        each.original, each.bit, before));
            }
            before = each.original | each.bit;
        }
        if ((value & before) != before) {
            world.fail(String.format("fetch-and-add: the word is %016x, but %016x was in it before", value, before));
        }
        word.zone().memory().wild(List.of(word));
    }
}
