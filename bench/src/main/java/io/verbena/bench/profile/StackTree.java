package io.verbena.bench.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/** Stacks folded into a tree: how many samples had a frame called from these frames. */
final class StackTree {

    private final String frame;
    private final Map<String, StackTree> callees = new LinkedHashMap<>();
    private long samples;

    StackTree(String frame) {
        this.frame = frame;
    }

    /** A stack from its outermost frame to its innermost one, seen so often. */
    void add(List<String> stack, long count) {
        StackTree at = this;
        at.samples += count;
        for (String next : stack) {
            at = at.callees.computeIfAbsent(next, StackTree::new);
            at.samples += count;
        }
    }

    String frame() {
        return frame;
    }

    /** Samples that had this frame here. */
    long samples() {
        return samples;
    }

    /** Samples in which this frame was the innermost. */
    long ownSamples() {
        return samples - callees.values().stream().mapToLong(StackTree::samples).sum();
    }

    /** By name, so that two pictures of the same program can be compared. */
    List<StackTree> callees() {
        return callees.values().stream()
                .sorted(Comparator.comparing(StackTree::frame))
                .toList();
    }

    /** The longest chain of frames that at least the given number of samples had, without the root. */
    int depth(long least) {
        return callees.values().stream()
                .filter(callee -> callee.samples >= least)
                .mapToInt(callee -> 1 + callee.depth(least))
                .max()
                .orElse(0);
    }

    /** Tells every stack with the samples that ended there, outermost frame first, in the folded form of flame graphs. */
    void forEachStack(ObjLongConsumer<List<String>> visitor) {
        forEachStack(new ArrayList<>(), visitor);
    }

    private void forEachStack(List<String> outer, ObjLongConsumer<List<String>> visitor) {
        if (ownSamples() > 0) {
            visitor.accept(List.copyOf(outer), ownSamples());
        }
        for (StackTree callee : callees()) {
            outer.add(callee.frame);
            callee.forEachStack(outer, visitor);
            outer.removeLast();
        }
    }
}
