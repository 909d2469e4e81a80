package mpi;

import io.verbena.messaging.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;
import java.util.WeakHashMap;

/** Sends of one communicator whose messages are in memory of their own until they have left, so that their calls need not wait. */
final class BufferedSends {

    /** Those of all communicators, for the end of the program. */
    private static final Set<BufferedSends> ALL =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Set<io.verbena.messaging.Request> running = Collections.newSetFromMap(new IdentityHashMap<>());

    /** A send that is done. */
    record Sent(io.verbena.messaging.Status status) implements io.verbena.messaging.Request {

        @Override
        public boolean test() {
            return true;
        }

        @Override
        public io.verbena.messaging.Status await() {
            return status;
        }

        @Override
        public boolean done() {
            return true;
        }
    }

    BufferedSends() {
        ALL.add(this);
    }

    /** Copies a message and starts to send it. The memory of the copy is freed after it has left. */
    Sent send(Communicator over, MemorySegment message, int dest, int tag) {
        removeDone();
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, message.byteSize()), Long.BYTES);
        MemorySegment.copy(message, 0, copy, 0, message.byteSize());
        io.verbena.messaging.Request send = over.isend(copy.asSlice(0, message.byteSize()), dest, tag);
        if (!send.done()) {
            running.add(send);
        }
        return new Sent(new io.verbena.messaging.Status());
    }

    private void removeDone() {
        for (Iterator<io.verbena.messaging.Request> sends = running.iterator(); sends.hasNext(); ) {
            if (sends.next().done()) {
                sends.remove();
            }
        }
    }

    /** Waits until all messages have left. The first one that cannot be sent any more is reported, by an exception. */
    void await() {
        for (Iterator<io.verbena.messaging.Request> sends = running.iterator(); sends.hasNext(); sends.remove()) {
            io.verbena.messaging.Request send = sends.next();
            if (!send.done()) {
                send.await();
            }
        }
    }

    /** Waits for those of all communicators. */
    static void awaitAll() throws MPIException {
        try {
            for (BufferedSends sends : Set.copyOf(ALL)) {
                sends.await();
            }
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }
}
