package io.verbena.sim.model;

import io.verbena.sim.World;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A word on which one queue pair performs compare-and-swap: the result of each is known in advance. */
final class SwapWord {

    private final World world;
    private final Piece word;

    /** The value of the word after each swap, including attempted ones. */
    private final List<Long> values = new ArrayList<>();

    private int done;

    SwapWord(World world, Zone zone, int index) {
        this.world = world;
        this.word = new Piece(zone, index * Long.BYTES, Long.BYTES);
        values.add(zone.region().segment().get(ValueLayout.JAVA_LONG, word.offset()));
    }

    Piece word() {
        return word;
    }

    /** The value after all posted swaps. */
    long value() {
        return values.getLast();
    }

    /** Records a posted swap; returns the value that it must return. */
    long post(long expected, long desired) {
        long original = value();
        values.add(original == expected ? desired : original);
        return original;
    }

    /** The next swap, in the order of posting, has succeeded. */
    void done() {
        done++;
    }

    /**
     * No work is in progress any more: the word must have the value after one of the swaps that may have been the last.
     */
    void settle() {
        long value = word.zone().region().segment().get(ValueLayout.JAVA_LONG, word.offset());
        List<Long> possible = values.subList(done, values.size());
        if (!possible.contains(value)) {
            world.fail(String.format("compare-and-swap: the word is %016x, which is none of %s", value, possible));
        }
        word.zone().memory().wild(List.of(word));
    }
}
