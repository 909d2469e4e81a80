package io.verbena.host.system;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Raises the priority of the calling thread so that it preempts threads of normal priority when it is woken, as Linux
 * does for the threads that serve device interrupts: SCHED_FIFO, by sched_setattr(2).
 *
 * <p>This needs CAP_SYS_NICE or a real-time priority limit (RLIMIT_RTPRIO). Without them, the thread requests a short
 * time slice, which is permitted to every user (Linux 6.12 and later): a thread that has run less than its share and
 * needs little time is scheduled earlier. Measured with two busy cores, 99 % of wake-ups took up to 1 to 3 ms for an
 * ordinary thread, 0.2 to 0.7 ms with the slice, 0.1 ms for a real-time thread.
 *
 * <p>A real-time thread cannot block the machine: the kernel reserves 5 % of each second for others
 * (sched_rt_runtime_us), and threads created by it are ordinary.
 */
public final class Urgency {

    /** struct sched_attr as of its first version, sched(7). */
    private static final MemoryLayout ATTRIBUTES = MemoryLayout.structLayout(
            ValueLayout.JAVA_INT.withName("size"),
            ValueLayout.JAVA_INT.withName("policy"),
            ValueLayout.JAVA_LONG.withName("flags"),
            ValueLayout.JAVA_INT.withName("nice"),
            ValueLayout.JAVA_INT.withName("priority"),
            ValueLayout.JAVA_LONG.withName("runtime"),
            ValueLayout.JAVA_LONG.withName("deadline"),
            ValueLayout.JAVA_LONG.withName("period"));

    private static final VarHandle SIZE = field("size");
    private static final VarHandle POLICY = field("policy");
    private static final VarHandle FLAGS = field("flags");
    private static final VarHandle PRIORITY = field("priority");
    private static final VarHandle RUNTIME = field("runtime");

    private static final int SCHED_OTHER = 0;
    private static final int SCHED_FIFO = 1;
    private static final long RESET_ON_FORK = 1;

    /** The lowest one is above every ordinary thread and below the kernel's own. */
    private static final int LOWEST_PRIORITY = 1;

    /** The minimum that the kernel accepts. */
    private static final long SLICE_NS = 100_000;

    private Urgency() {}

    private static VarHandle field(String name) {
        return ATTRIBUTES.varHandle(MemoryLayout.PathElement.groupElement(name));
    }

    /**
     * What became of the request.
     *
     * @param realTime whether the thread runs before all ordinary ones
     * @param note what is less than that and why, one sentence; empty when nothing is
     */
    public record Outcome(boolean realTime, String note) {}

    /** Raises the priority of the calling platform thread as far as the system permits. */
    public static Outcome raise() {
        String obstacle = Machine.obstacleToLinux();
        if (!obstacle.isEmpty()) {
            return new Outcome(false, "A handler processor is not urgent: " + obstacle);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            MemorySegment attributes = arena.allocate(ATTRIBUTES);
            SIZE.set(attributes, 0L, (int) ATTRIBUTES.byteSize());
            FLAGS.set(attributes, 0L, RESET_ON_FORK);
            POLICY.set(attributes, 0L, SCHED_FIFO);
            PRIORITY.set(attributes, 0L, LOWEST_PRIORITY);
            if (Linux.scheduleCallingThread(state, attributes) == 0) {
                return new Outcome(true, "");
            }
            POLICY.set(attributes, 0L, SCHED_OTHER);
            PRIORITY.set(attributes, 0L, 0);
            RUNTIME.set(attributes, 0L, SLICE_NS);
            int shorter = Linux.scheduleCallingThread(state, attributes);
            return new Outcome(
                    false,
                    "A handler processor has no real-time priority (the system allows it with CAP_SYS_NICE or 'ulimit -r 1')"
                            + (shorter == 0 ? "; it has a short time slice instead." : "."));
        }
    }
}
