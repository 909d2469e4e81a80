package io.verbena.tools.launch;

import io.verbena.messaging.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A program for {@link RunCommandTest}: a ring of ranks, each adds its argument. */
public final class RunProbe {

    private RunProbe() {}

    /**
     * The arguments {@code fail} and {@code halt} make the last rank fail, before and after all are connected; with {@code absent} it
     * ends without joining the others.
     */
    public static void main(String... args) throws Exception {
        if (args[0].equals("absent") && System.getenv("VERBENA_RANK").equals("2")) {
            return;
        }
        try (Communicator world = Communicator.world()) {
            if (args[0].equals("fail") && world.rank() == world.size() - 1) {
                System.err.println("this rank breaks");
                Runtime.getRuntime().halt(3);
            }
            if (args[0].equals("halt")) {
                world.barrier();
                if (world.rank() == world.size() - 1) {
                    Runtime.getRuntime().halt(3);
                }
            }
            if (args[0].equals("halt") || args[0].equals("fail")) {
                world.recv(Arena.ofAuto().allocate(8), Communicator.ANY_SOURCE, 0);
            }
            MemorySegment sum = Arena.ofAuto().allocate(8);
            int next = (world.rank() + 1) % world.size();
            int before = (world.rank() + world.size() - 1) % world.size();
            if (world.rank() > 0) {
                world.recv(sum, before, 0);
            }
            sum.set(ValueLayout.JAVA_LONG, 0, sum.get(ValueLayout.JAVA_LONG, 0) + Long.parseLong(args[0]));
            world.send(sum, next, 0);
            if (world.rank() == 0) {
                world.recv(sum, before, 0);
                System.out.println("sum " + sum.get(ValueLayout.JAVA_LONG, 0));
            }
        }
    }
}
