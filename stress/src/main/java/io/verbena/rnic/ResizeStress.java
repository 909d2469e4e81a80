package io.verbena.rnic;

import io.verbena.queue.Cqe;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.RnicOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An engine publishes, goes on in a ring of another size and publishes there, while the poller polls: no entry is skipped. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both entries, in order.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An entry was skipped, or came out of order.")
@State
public class ResizeStress {

    private static final SoftRnic RNIC = new SoftRnic(new StillEnvironment(), RnicOptions.defaults());

    private final SoftCompletionQueue cq = new SoftCompletionQueue(RNIC, CompletionQueueOptions.capacity(1));
    private final CqSide side = cq.use(0);
    private final Cqe written = new Cqe();
    private final Cqe read = new Cqe();
    private int polled;
    private boolean ordered = true;

    private void publish(int wrId) {
        if (side.ring().claim(written)) {
            written.fill(wrId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
            side.ring().publish(0);
        }
    }

    private boolean poll() {
        if (!side.peek(read)) {
            return false;
        }
        ordered &= read.wrId() == ++polled;
        side.release();
        return true;
    }

    @Actor
    public void engine() {
        publish(1);
        side.resize(2);
        publish(2);
    }

    /** One look, which may come at any moment. */
    @Actor
    public void poller() {
        poll();
    }

    /** The rest. */
    @Arbiter
    public void rest(I_Result result) {
        while (poll()) {
            // counted
        }
        result.r1 = ordered ? polled : -1;
    }
}
