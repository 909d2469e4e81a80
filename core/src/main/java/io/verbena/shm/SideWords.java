package io.verbena.shm;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The words of both sides in the shared memory of a connection, as one side uses them; see {@link SharedLayout}.
 *
 * <p><b>No wake-up is lost.</b> Each side first writes its own word, then reads that of the other side, with a full fence
 * between:
 *
 * <pre>
 *   writer                              sleeper
 *   publishes a record                  asleep = FOR_BYTES
 *   full fence                          full fence
 *   reads asleep                        looks at the ring
 *     set: clears it, sends a byte        a record: asleep = 0, continues
 *     0:   done                           nothing:  waits for the socket
 * </pre>
 *
 * The same holds for a reader that has made space and a writer that waits for it (FOR_ROOM). A byte that arrives late wakes a
 * side once without need.
 */
final class SideWords {

    private final ByteBuffer memory;
    private final int asleepHere;
    private final int asleepThere;
    private final int endingHere;
    private final int endingThere;
    private final int killedHere;
    private final int killedThere;
    private final int takesHere;
    private final int takesThere;

    SideWords(ByteBuffer memory, boolean initiator) {
        this.memory = memory;
        asleepHere = SharedLayout.word(initiator, SharedLayout.ASLEEP);
        asleepThere = SharedLayout.word(!initiator, SharedLayout.ASLEEP);
        endingHere = SharedLayout.word(initiator, SharedLayout.ENDING);
        endingThere = SharedLayout.word(!initiator, SharedLayout.ENDING);
        killedHere = SharedLayout.word(initiator, SharedLayout.KILLED);
        killedThere = SharedLayout.word(!initiator, SharedLayout.KILLED);
        takesHere = SharedLayout.word(initiator, SharedLayout.TAKES);
        takesThere = SharedLayout.word(!initiator, SharedLayout.TAKES);
    }

    /** What wakes this side from now on; 0 while it polls. A full fence and a look at the rings follow. */
    void asleep(long what) {
        SharedLayout.WORD.setOpaque(memory, asleepHere, what);
    }

    /** Whether the peer sleeps and waits for this, which has been published: then it is to be woken by this caller. */
    boolean takeSleeper(long what) {
        VarHandle.fullFence();
        long asleep = (long) SharedLayout.WORD.getOpaque(memory, asleepThere);
        return (asleep & what) != 0 && SharedLayout.WORD.compareAndSet(memory, asleepThere, asleep, 0L);
    }

    /** How the peer ended its direction. */
    long endingThere() {
        return SharedLayout.load(memory, endingThere);
    }

    /** Ends the direction of this side. */
    void end(long ending) {
        SharedLayout.store(memory, endingHere, ending);
    }

    /** How the peer wants its end to be read if its process ends without saying so: {@code OPEN} if it has stated nothing. */
    long killedThere() {
        return SharedLayout.load(memory, killedThere);
    }

    /** How the end of this side is to be read if its process ends without saying so. */
    void killed(long ending) {
        SharedLayout.store(memory, killedHere, ending);
    }

    /** This side takes short messages from now on. */
    void takeMessages() {
        SharedLayout.store(memory, takesHere, 1);
    }

    /** Whether the peer takes short messages. */
    boolean takesMessagesThere() {
        return SharedLayout.load(memory, takesThere) != 0;
    }

    /** The failure of a stream whose memory is not accessible any more. */
    static IOException lost(InternalError e) {
        return new IOException("The peer took the shared memory away", e);
    }

    /** The failure of a stream that an access to its memory ended. */
    static IOException failure(Throwable e) {
        return switch (e) {
            case IOException failure -> failure;
            case InternalError gone -> lost(gone);
            default -> throw new AssertionError(e);
        };
    }

    /** Accesses every page, to find out whether the memory is still there. A copy fails at once, unlike a single load. */
    void probe() {
        byte[] line = new byte[SharedLayout.LINE];
        for (int at = 0; at < memory.capacity(); at += SharedLayout.LEAST_RING_BYTES) {
            memory.get(at, line);
        }
    }
}
