package io.verbena.stress.queue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Work in a queue for one completes while its poster polls: after the completion is seen there is a free slot. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "Not complete yet.")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Complete, and the next can be posted.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Complete, and no slot is free; or not what was posted.")
@State
public class CompletionStress {

    private static final int ID = 7;

    private final WorkQueue send = new WorkQueue(1, Wqe.strideBytes(1, 0));
    private final CompletionRing ring = new CompletionRing(1);
    private final WorkQueues queues =
            new WorkQueues(1, true, send, new ReceiveQueue(new WorkQueue(1, Wqe.strideBytes(1, 0))), ring, ring);
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();

    public CompletionStress() {
        send.claim(wqe);
        wqe.clear(WorkOpcode.SEND, WrFlags.SIGNALLED).wrId(ID);
        send.written();
        send.publish();
    }

    @Actor
    public void engine() {
        queues.completeSend(CompletionStatus.SUCCESS);
    }

    @Actor
    public void poster(I_Result result) {
        if (ring.peek(cqe)) {
            result.r1 = cqe.wrId() == ID && send.claim(wqe) ? 1 : 2;
        }
    }
}
