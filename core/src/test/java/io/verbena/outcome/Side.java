package io.verbena.outcome;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** One side of a scene: a domain, a CQ, a queue pair and 4 KiB of memory with all rights. */
public final class Side {

    static final int BYTES = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration MOMENT = Duration.ofMillis(5);

    public final Rnic rnic;
    final ProtectionDomain pd;
    public final CompletionQueue cq;
    public final MemoryRegion memory;
    final CompletionCursor cursor;
    QueuePair qp;

    Side(Rnic rnic) {
        this.rnic = rnic;
        pd = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(64);
        cursor = cq.cursor();
        memory = pd.allocate(BYTES, AccessRight.values());
        qp = pd.createQueuePair(QueuePairOptions.of(cq).withDepths(8, 8));
    }

    /** Replaces the queue pair by one with other options. */
    void with(UnaryOperator<QueuePairOptions> change) {
        qp.close();
        qp = pd.createQueuePair(change.apply(QueuePairOptions.of(cq).withDepths(8, 8)));
    }

    void receive(long id, int length) {
        qp.postReceive(id, memory, 0, length);
    }

    void send(long id, int length) {
        qp.postSend(id, memory, 0, length, WrFlags.SIGNALLED);
    }

    void post(WorkRequest request, long id) {
        qp.post(request.id(id).flags(WrFlags.SIGNALLED));
    }

    /** Waits for this many completions, and returns them as {@code 1 SEND SUCCESS}, separated by commas. */
    String takes(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (!cursor.next() && !(cq.await(PATIENCE) && cursor.next())) {
                all.add("nothing");
                break;
            }
            all.add(completion());
        }
        return String.join(", ", all);
    }

    /** The completion at which the cursor stands. */
    String completion() {
        return cursor.wrId() + " " + cursor.opcode() + " " + cursor.status();
    }

    /** The same with the number of bytes of each completion. */
    String takesBytes() {
        return takes(1) + " " + cursor.byteCount();
    }

    /** Whether no completion arrives within a moment. */
    String takesNothing() {
        return cursor.next() || cq.await(MOMENT) && cursor.next() ? completion() : "nothing";
    }

    void close() {
        qp.close();
    }
}
