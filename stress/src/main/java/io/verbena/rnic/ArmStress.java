package io.verbena.rnic;

import io.verbena.queue.Cqe;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An engine publishes an entry while the consumer requests a notification: the event is neither lost nor doubled. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "One event.")
@Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "The event was lost.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The event came more than once.")
@State
public class ArmStress {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());

    private final SoftCompletionQueue cq = new SoftCompletionQueue(RNIC, CompletionQueueOptions.capacity(2));
    private final CqSide side = cq.use(0);
    private final AtomicInteger events = new AtomicInteger();
    private final Cqe cqe = new Cqe();

    /** A CQ whose events are counted. */
    public ArmStress() {
        cq.onReady(events::incrementAndGet);
    }

    /** Publishes, then looks whether it is armed. */
    @Actor
    public void engine() {
        if (side.ring().claim(cqe)) {
            cqe.fill(1, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 1, 0);
            side.ring().publish(0);
            side.settle();
        }
    }

    /** Arms, then looks whether there are entries. */
    @Actor
    public void consumer() {
        cq.requestNotification(Notification.NEXT);
    }

    /** How many events there were. */
    @Arbiter
    public void told(I_Result result) {
        result.r1 = events.get();
    }
}
