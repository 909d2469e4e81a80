package io.verbena.ib.request;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.memory.Region;
import io.verbena.queue.Wqe;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import io.verbena.work.OutlivingWork;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The part of a requester that knows earlier transports of its connection: elements of the send queue that were
 * executed over them need no packet. Of a connection that ends with its transport there are none.
 */
final class EarlierWork {

    private final Optional<OutlivingWork> outliving;
    private final LocalBuffers buffers;
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    EarlierWork(QueuePairWork owner) {
        outliving = owner.outliving();
        buffers = owner.buffers();
    }

    /** Whether the element was executed. */
    boolean executed(Wqe wqe) {
        return outliving.isPresent() && outliving.get().executedEarlier(wqe);
    }

    /** Stores the result of an element that was executed, if it has one. */
    Moved store(Wqe wqe) {
        if (!wqe.atomic()) {
            return Moved.DONE;
        }
        word.set(JAVA_LONG, 0, outliving.orElseThrow().result(wqe));
        Moved moved = buffers.scatter(wqe, 0, word, 0, Long.BYTES);
        Region.publish();
        return moved;
    }

    /** Whether the peer can remember the result of an element with an answer. */
    boolean mayAsk(long index) {
        return outliving.isEmpty() || outliving.get().mayAsk(index);
    }

    /** The first packet of an element has been built. */
    void begun(long index, Wqe wqe) {
        if (outliving.isPresent()) {
            outliving.get().onBegun(index, wqe);
        }
    }

    /** An element was executed without a packet. */
    void skipped(long index) {
        if (outliving.isPresent()) {
            outliving.get().onSkipped(index);
        }
    }

    /** Whether the work outlives this transport: then what happens to an element is noted, one by one. */
    boolean notes() {
        return outliving.isPresent();
    }
}
