package io.verbena.messaging;

import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.transfer.Operation;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that have died, as far as this rank knows, and those whose death the program has acknowledged.
 *
 * <p>The death of a rank that this rank is connected to becomes known in two steps: another rank may report it before this rank's own
 * connection ends. Until then messages from the dead rank may still arrive, so that no operation fails because of the report. But the rank
 * that has reported may leave now, and an operation that fails because of that must name the rank that has died.
 */
final class Failures {

    private final int size;
    private final BitSet reported = new BitSet();
    private final BitSet died = new BitSet(); // and no message can arrive from it any more
    private final BitSet acknowledged = new BitSet();

    Failures(int size) {
        this.size = size;
    }

    /** A rank has died, but messages from it may still arrive. Returns whether this was not known. */
    boolean report(int rank) {
        boolean unknown = !reported.get(rank);
        reported.set(rank);
        return unknown;
    }

    /** A rank has died, and nothing arrives from it any more. */
    void add(int rank) {
        reported.set(rank);
        died.set(rank);
    }

    boolean any() {
        return !reported.isEmpty();
    }

    /** Ranks that have died, in ascending order. */
    List<Integer> died() {
        return reported.stream().boxed().toList();
    }

    /** The ranks that have died and from which nothing arrives any more. */
    BitSet deadSet() {
        return (BitSet) died.clone();
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
        return switch (Contexts.kind(operation.context())) {
            case Contexts.BARRIERS -> sentence(died, "a barrier needs all ranks.");
            case Contexts.SCHEDULES ->
                sentence(among(died, operation), "a collective operation needs all ranks of its communicator.");
            case Contexts.COLLECTIVES -> {
                BitSet needed = (BitSet) died.clone();
                for (int rank = died.nextSetBit(0); rank >= 0; rank = died.nextSetBit(rank + 1)) {
                    needed.set(rank, operation.dependsOn(rank, size));
                }
                yield sentence(
                        needed, "the collective operation depends on it to reach this rank or the ranks after it.");
            }
            default -> operation.sends || operation.peer >= 0 ? "" : anySource(MessageRequest.groupOf(operation));
        };
    }

    private static BitSet among(BitSet ranks, Operation operation) {
        Group group = MessageRequest.groupOf(operation);
        return group == null ? ranks : group.among(ranks);
    }

    /** Returns whether a rank of a communicator has died, and nothing arrives from it any more. */
    boolean anyOf(Group group) {
        return !group.among(died).isEmpty();
    }

    /** Why a receive from any rank cannot start or continue; empty if it can. */
    String anySource(@Nullable Group group) {
        BitSet unacknowledged = group == null ? (BitSet) died.clone() : group.among(died);
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
