package io.verbena.host.segment;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.Optional;

/**
 * A wait of Linux for several words (futex_waitv(2)). The first word is of this process alone: {@link #wake} counts it up. The system checks every address, so
 * memory that was unmapped meanwhile is an error of the call and not of the process. Even if other memory has come to its place, nothing is missed, because
 * the owner of the memory calls {@link #wake} after it has unmapped that.
 */
final class FutexWait implements HostWait {

    /** Most words of a call, FUTEX_WAITV_MAX, with that of this process. */
    private static final int MOST = 128;

    /** struct futex_waitv: value 8, address 8, flags 4, reserved 4. */
    private static final int WORD_BYTES = 24;

    private static final int ADDRESS_AT = 8;
    private static final int FLAGS_AT = 16;

    /** FUTEX2_SIZE_U32, FUTEX2_PRIVATE. */
    private static final int SHARED = 2;

    private static final int OWN = 2 | 128;
    private static final long NS_PER_S = 1_000_000_000;
    private static final VarHandle TICKET = JAVA_INT.varHandle();

    /** Where wake-ups leave their errno, which tells nothing: that the memory is gone, and with it those that waited. */
    private static final MemorySegment IGNORED = Linux.newState(Arena.global());

    /** Whether the system knows the call: with no words it is a wrong argument, and not an unknown call or a forbidden one. */
    private static final boolean AVAILABLE = Machine.obstacleToLinux().isEmpty()
            && Linux.futexWait(IGNORED, MemorySegment.NULL, 0, MemorySegment.NULL) == -Linux.EINVAL;

    private final MemorySegment state;
    private final MemorySegment words;
    private final MemorySegment deadline;
    private final MemorySegment ticket;
    private final int most;
    private int count;

    private FutexWait(int most) {
        this.most = most;
        Arena arena = Arena.ofAuto(); // a thread that wakes may be late
        state = Linux.newState(arena);
        words = arena.allocate((long) most * WORD_BYTES, Long.BYTES);
        deadline = arena.allocate(Linux.TIMESPEC_BYTES, Long.BYTES);
        ticket = arena.allocate(Integer.BYTES, Integer.BYTES);
    }

    static Optional<HostWait> of(int words) {
        if (words < 1 || words >= MOST) {
            throw new IllegalArgumentException("A wait has 1 to " + (MOST - 1) + " words, not " + words + ".");
        }
        return AVAILABLE ? Optional.of(new FutexWait(1 + words)) : Optional.empty();
    }

    /** Wakes all that wait for a word of shared memory. Returns false if this process cannot. */
    static boolean wake(long address) {
        return AVAILABLE && Linux.futexWake(IGNORED, address, false) >= 0;
    }

    @Override
    public void begin() {
        count = 0;
        put(ticket.address(), (int) TICKET.getVolatile(ticket, 0L), OWN);
    }

    @Override
    public boolean add(HostMemory.Mapping memory, int at, int value) {
        if (!(memory instanceof OwnMemory.Mapped mapped)) {
            throw new IllegalArgumentException("The memory is not of this kind of host memory: " + memory);
        }
        if (at < 0 || at % Integer.BYTES != 0 || at > mapped.length() - Integer.BYTES) {
            throw new IllegalArgumentException(
                    "A word at " + at + " is not in memory of " + mapped.length() + " bytes, or not aligned to 4.");
        }
        if (count == most) {
            return false;
        }
        put(mapped.address() + at, value, SHARED);
        return true;
    }

    private void put(long address, int value, int flags) {
        long at = (long) count++ * WORD_BYTES;
        words.set(JAVA_LONG, at, Integer.toUnsignedLong(value));
        words.set(JAVA_LONG, at + ADDRESS_AT, address);
        words.set(JAVA_INT, at + FLAGS_AT, flags);
    }

    @Override
    public void await(long timeoutNs) {
        MemorySegment until = timeoutNs == Long.MAX_VALUE ? MemorySegment.NULL : deadline(timeoutNs);
        int outcome;
        do {
            outcome = Linux.futexWait(state, words, count, until);
        } while (outcome == -Linux.EINTR);
        Reference.reachabilityFence(this);
    }

    /** The clock of {@code nanoTime} is the monotonic one of the system. */
    private MemorySegment deadline(long timeoutNs) {
        long atNs = System.nanoTime() + Math.clamp(timeoutNs, 0, Long.MAX_VALUE / 2);
        deadline.set(JAVA_LONG, 0, atNs / NS_PER_S);
        deadline.set(JAVA_LONG, Long.BYTES, atNs % NS_PER_S);
        return deadline;
    }

    @Override
    public void wake() {
        TICKET.getAndAdd(ticket, 0L, 1);
        Linux.futexWake(IGNORED, ticket.address(), true);
        Reference.reachabilityFence(this);
    }
}
