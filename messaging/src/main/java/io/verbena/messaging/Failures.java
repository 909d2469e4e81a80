package io.verbena.messaging;

import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;

/** The ranks that have died, as far as this rank knows, and those whose death the program has acknowledged. */
final class Failures {

    private final int size;
    private final BitSet died = new BitSet();
    private final BitSet acknowledged = new BitSet();

    Failures(int size) {
        this.size = size;
    }

    void add(int rank) {
        died.set(rank);
    }

    boolean any() {
        return !died.isEmpty();
    }

    /** Ranks that have died, in ascending order. */
    List<Integer> died() {
        return died.stream().boxed().toList();
    }

    /** Receives from any rank no longer depend on the ranks that have died until now. */
    void acknowledge() {
        acknowledged.or(died);
    }

    /** Why an operation cannot start or continue because a rank that it depends on has died; empty if it can. */
    String obstacle(Operation operation) {
        if (died.isEmpty()) {
            return "";
        }
        return switch (operation.context()) {
            case Contexts.BARRIERS -> sentence(died, "a barrier needs all ranks.");
            case Contexts.COLLECTIVES -> {
                BitSet needed = (BitSet) died.clone();
                for (int rank = died.nextSetBit(0); rank >= 0; rank = died.nextSetBit(rank + 1)) {
                    needed.set(rank, operation.dependsOn(rank, size));
                }
                yield sentence(
                        needed, "the collective operation depends on it to reach this rank or the ranks after it.");
            }
            default -> operation.sends || operation.peer >= 0 ? "" : anySource();
        };
    }

    /** Why a receive from any rank cannot start or continue; empty if it can. */
    String anySource() {
        BitSet unacknowledged = (BitSet) died.clone();
        unacknowledged.andNot(acknowledged);
        return sentence(
                unacknowledged,
                "a receive from any rank might wait for it forever. Call acknowledgeFailures() to receive from the"
                        + " other ranks.");
    }

    private static String sentence(BitSet ranks, String consequence) {
        if (ranks.isEmpty()) {
            return "";
        }
        String list = ranks.stream().mapToObj(String::valueOf).collect(Collectors.joining(", "));
        return (ranks.cardinality() == 1 ? "Rank " : "Ranks ") + list + " died: " + consequence;
    }
}
