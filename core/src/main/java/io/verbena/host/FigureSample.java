package io.verbena.host;

import io.verbena.verbs.Figures;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The figures of all RNICs, sampled once for the kinds of events that a recorder emits in turn at one instant. Each kind has a period of
 * its own, and the recorder does not state which kinds it emits together. A sample serves each kind once, and only while it is young.
 */
final class FigureSample {

    /** Longer than the events of one instant take, shorter than the usual period of 1 s. */
    private static final long YOUNG_NS = 100_000_000;

    private final LongSupplier clockNs;
    private final Set<String> served = new HashSet<>();
    private Map<Integer, Figures> latest = Map.of();
    private long latestNs;

    FigureSample(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    /** The figures for one kind of event, by the numbers of the RNICs. */
    synchronized Map<Integer, Figures> of(String kind, Supplier<Map<Integer, Figures>> source) {
        boolean usable = !served.isEmpty() && clockNs.getAsLong() - latestNs < YOUNG_NS;
        if (!usable || !served.add(kind)) {
            latest = source.get();
            latestNs = clockNs.getAsLong();
            served.clear();
            served.add(kind);
        }
        return latest;
    }
}
