package io.verbena.stress.notify;

import io.verbena.fixture.StillEnvironment;
import io.verbena.notify.CompletionSource;
import io.verbena.queue.CompletionRing;
import io.verbena.rnic.CompletionFeed;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
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
@Outcome(expect = Expect.FORBIDDEN, desc = "The event was lost, or was reported more than once.")
@State
public class ArmTypesStress {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());
    private static final CompletionTypes RECEIVES = CompletionTypes.of(CompletionOpcode.RECEIVE);
    private static final CompletionTypes READS = CompletionTypes.of(CompletionOpcode.READ);

    private final CompletionFeed engine = new CompletionFeed(RNIC, CompletionQueueOptions.capacity(2));
    private final CompletionSource cq = engine.cq();
    private final AtomicInteger events = new AtomicInteger();

    /** A CQ whose events are counted. */
    public ArmTypesStress() {
        cq.onReady(events::incrementAndGet);
    }

    @Actor
    public void engine() {
        if (engine.publish(1, CompletionOpcode.RECEIVE, CompletionRing.type(CompletionOpcode.RECEIVE))) {
            engine.settle();
        }
    }

    @Actor
    public void consumer() {
        cq.requestNotification(RECEIVES);
        cq.requestNotification(READS);
    }

    /** How many events there were. */
    @Arbiter
    public void report(I_Result result) {
        result.r1 = events.get();
    }
}
