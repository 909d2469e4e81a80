package io.verbena.messaging;

import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** How ranks agree on new communicators: who is in which, and a number that none of them uses. */
final class CommunicatorCreation {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private record Member(int rank, int key) {}

    private final Communicator parent;
    private final CollectiveEngines engines;

    CommunicatorCreation(Communicator parent, CollectiveEngines engines) {
        this.parent = parent;
        this.engines = engines;
    }

    /** All ranks of the parent call this; those of a color get a communicator. */
    Optional<Communicator> split(int color, int key) {
        MemorySegment own = Arena.ofAuto().allocate(INT, 2);
        own.setAtIndex(INT, 0, color);
        own.setAtIndex(INT, 1, key);
        MemorySegment all = Arena.ofAuto().allocate(INT, 2L * parent.size());
        parent.collectives().allgather(own, all);
        int number = unusedNumber();
        if (color == Communicator.NO_COLOR) {
            return Optional.empty();
        }
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < parent.size(); i++) {
            if (all.getAtIndex(INT, 2L * i) == color) {
                members.add(new Member(i, all.getAtIndex(INT, 2L * i + 1)));
            }
        }
        members.sort(Comparator.comparingInt(Member::key).thenComparingInt(Member::rank));
        Group group =
                parent.group().include(members.stream().mapToInt(Member::rank).toArray());
        return Optional.of(parent.among(group, number));
    }

    /** The smallest number that no rank of the parent uses. */
    private int unusedNumber() {
        long[] words = engines.unused();
        MemorySegment free = Arena.ofAuto().allocate(LONG, words.length);
        MemorySegment.copy(words, 0, free, LONG, 0, words.length);
        parent.collectives().allreduce(Collectives.IN_PLACE, free, ElementType.LONG, PredefinedReduction.BAND);
        return CollectiveEngines.firstUnused(free.toArray(LONG), 0);
    }
}
