package io.verbena.stress.notify;

import io.verbena.fixture.StillEnvironment;
import io.verbena.notify.CompletionSource;
import io.verbena.rnic.CompletionFeed;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
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
@Outcome(expect = Expect.FORBIDDEN, desc = "The event was reported more than once.")
@State
public class ArmStress {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());

    private final CompletionFeed engine = new CompletionFeed(RNIC, CompletionQueueOptions.capacity(2));
    private final CompletionSource cq = engine.cq();
    private final AtomicInteger events = new AtomicInteger();

    /** A CQ whose events are counted. */
    public ArmStress() {
        cq.onReady(events::incrementAndGet);
    }

    /** Publishes, then checks whether the CQ is armed. */
    @Actor
    public void engine() {
        if (engine.publish(1, CompletionOpcode.SEND, 0)) {
            engine.settle();
        }
    }

    /** Arms, then checks whether there are entries. */
    @Actor
    public void consumer() {
        cq.requestNotification(Notification.NEXT);
    }

    /** How many events there were. */
    @Arbiter
    public void report(I_Result result) {
        result.r1 = events.get();
    }
}
