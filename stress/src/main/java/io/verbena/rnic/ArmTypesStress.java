package io.verbena.rnic;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.CompletionTypes;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An engine publishes a receive while its consumer requests receives, and then Reads: the event is neither lost nor doubled. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "One event.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The event was lost, or came more than once.")
@State
public class ArmTypesStress {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());
    private static final CompletionTypes RECEIVES = CompletionTypes.of(CompletionOpcode.RECEIVE);
    private static final CompletionTypes READS = CompletionTypes.of(CompletionOpcode.READ);

    private final SoftCompletionQueue cq = new SoftCompletionQueue(RNIC, CompletionQueueOptions.capacity(2));
    private final CqSide side = cq.use(0);
    private final AtomicInteger events = new AtomicInteger();
    private final Cqe cqe = new Cqe();

    /** A CQ whose events are counted. */
    public ArmTypesStress() {
        cq.onReady(events::incrementAndGet);
    }

    @Actor
    public void engine() {
        if (side.ring().claim(cqe)) {
            cqe.fill(1, CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 1, 0);
            side.ring().publish(CompletionRing.type(CompletionOpcode.RECEIVE));
            side.settle();
        }
    }

    @Actor
    public void consumer() {
        cq.requestNotification(RECEIVES);
        cq.requestNotification(READS);
    }

    /** How many events there were. */
    @Arbiter
    public void told(I_Result result) {
        result.r1 = events.get();
    }
}
