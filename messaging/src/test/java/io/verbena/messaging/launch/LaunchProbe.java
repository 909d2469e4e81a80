package io.verbena.messaging.launch;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A rank of {@link LaunchersTest}: adds the numbers of all ranks, and prints its own and the sum. */
public final class LaunchProbe {

    private LaunchProbe() {}

    public static void main(String... args) throws Exception {
        try (Communicator world = Communicator.world()) {
            MemorySegment sum = Arena.ofAuto().allocate(8);
            sum.set(ValueLayout.JAVA_LONG, 0, world.rank());
            world.collectives().allreduce(Collectives.IN_PLACE, sum, ElementType.LONG, PredefinedReduction.SUM);
            System.out.println(
                    "rank " + world.rank() + " of " + world.size() + ", sum " + sum.get(ValueLayout.JAVA_LONG, 0));
        }
    }
}
