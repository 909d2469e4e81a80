package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.transfer.RemoteAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.List;

/**
 * The locks of a window: words of each rank that the ranks change by atomic operations.
 *
 * <pre>
 *   0   lock of the program: 0, the number of the ranks that share it, or EXCLUSIVE and the rank that holds it, plus 1
 *   8   lock of accumulating calls, always exclusive
 *   16  unused; a Read of it shows that earlier Writes have been placed
 * </pre>
 */
final class WindowLocks {

    static final int BYTES = 64;
    static final long PROGRAM_AT = 0;
    static final long UPDATES_AT = 8;
    static final long UNUSED_AT = 16;

    private static final long EXCLUSIVE = 1L << 62;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** What a word belongs to. */
    enum Part {
        CONTROL,
        MEMORY;

        MemorySegment of(Window window) {
            return this == CONTROL ? window.control() : window.memory();
        }
    }

    private final Window window;
    private final Messenger messenger;
    private final Communicator ranks;
    private final long[] held; // by rank: what the lock of the program has to be decreased by; 0: not held

    WindowLocks(Window window, Messenger messenger, Communicator ranks) {
        this.window = window;
        this.messenger = messenger;
        this.ranks = ranks;
        held = new long[ranks.size()];
    }

    // Words of any rank, with the value before.

    long swap(int rank, Part part, long at, long expected, long replacement) {
        WindowTarget target = window.target(rank);
        if (target == null) {
            return (long) WORD.compareAndExchange(part.of(window), at, expected, replacement);
        }
        RemoteAccess access = part == Part.CONTROL
                ? target.toControl(RemoteAccess.Kind.SWAP, at)
                : target.toMemory(RemoteAccess.Kind.SWAP, at);
        return window.atomic(target, access.operands(expected, replacement));
    }

    long add(int rank, Part part, long at, long addend) {
        WindowTarget target = window.target(rank);
        if (target == null) {
            return (long) WORD.getAndAdd(part.of(window), at, addend);
        }
        RemoteAccess access = part == Part.CONTROL
                ? target.toControl(RemoteAccess.Kind.ADD, at)
                : target.toMemory(RemoteAccess.Kind.ADD, at);
        return window.atomic(target, access.operands(addend, 0));
    }

    // The lock of the program.

    void lock(int rank, boolean exclusive) {
        if (held[rank] != 0) {
            throw new IllegalStateException("this rank holds the lock of the window of rank " + rank + " already");
        }
        held[rank] = take(rank, PROGRAM_AT, exclusive);
    }

    void unlock(int rank) {
        long amount = held[rank];
        if (amount == 0) {
            throw new IllegalStateException("this rank does not hold the lock of the window of rank " + rank);
        }
        held[rank] = 0;
        add(rank, Part.CONTROL, PROGRAM_AT, -amount);
    }

    // The lock of accumulating calls.

    /** Returns what has to be passed to {@link #release}. */
    long takeUpdates(int rank) {
        return take(rank, UPDATES_AT, true);
    }

    void release(int rank, long amount) {
        add(rank, Part.CONTROL, UPDATES_AT, -amount);
    }

    private long take(int rank, long at, boolean exclusive) {
        long startNs = messenger.waiter().nowNs();
        long wanted = exclusive ? EXCLUSIVE | ranks.rank() + 1 : 1;
        long seen = 0;
        while (true) {
            long found = swap(rank, Part.CONTROL, at, seen, seen + wanted);
            if (found == seen) {
                return wanted;
            }
            if (!exclusive && (found & EXCLUSIVE) == 0) {
                seen = found;
                continue;
            }
            seen = 0;
            await(rank, startNs);
        }
    }

    /** Another rank holds the lock: lets it work for a short time. */
    private void await(int rank, long startNs) {
        if (messenger.progress() == 0) {
            messenger.waiter().idle(startNs);
        }
        BitSet dead = ranks.group().among(messenger.failures().deadSet());
        if (!dead.isEmpty()) {
            List<Integer> died = dead.stream().boxed().toList();
            throw new RankFailedException(
                    "The lock of the window of rank " + rank + " is held, perhaps by a rank that died: " + died + ".",
                    died);
        }
        if (messenger.waiter().longSince(startNs)) {
            messenger.members().connectAll(ranks.group());
        }
        if (messenger.waiter().timedOut(startNs)) {
            throw new MessagingException(
                    "The lock of the window of rank " + rank + " was given up: another rank held it all the time.");
        }
    }
}
