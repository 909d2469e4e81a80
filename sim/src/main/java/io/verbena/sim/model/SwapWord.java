package io.verbena.sim.model;

import io.verbena.sim.World;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A word on which one queue pair does compare-and-swap: what each one must find is known beforehand. */
final class SwapWord {

    private final World world;
    private final Piece word;

    /** What the word holds after so many swaps, tried ones included. */
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

    /** What it will hold when all that was posted is done. */
    long value() {
        return values.getLast();
    }

    /** A swap is posted; returns what it must bring back. */
    long post(long expected, long desired) {
        long original = value();
        values.add(original == expected ? desired : original);
        return original;
    }

    /** The next swap, in the order of posting, has succeeded. */
    void done() {
        done++;
    }

    /** Nothing is under way any more: the word holds what it held after one of the swaps that may have been the last. */
    void settle() {
        long value = word.zone().region().segment().get(ValueLayout.JAVA_LONG, word.offset());
        List<Long> possible = values.subList(done, values.size());
        if (!possible.contains(value)) {
            world.fail(String.format("compare-and-swap: the word is %016x, which is none of %s", value, possible));
        }
        word.zone().memory().wild(List.of(word));
    }
}
