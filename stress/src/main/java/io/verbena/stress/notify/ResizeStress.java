package io.verbena.stress.notify;

import io.verbena.fixture.StillEnvironment;
import io.verbena.notify.CompletionSource;
import io.verbena.rnic.CompletionFeed;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.RnicOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An engine publishes and continues in a ring of another size, repeatedly, while the poller polls: no entry is skipped. */
@JCStressTest
@Outcome(id = "8", expect = Expect.ACCEPTABLE, desc = "All entries, in order.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An entry was skipped or out of order.")
@State
public class ResizeStress {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());

    private static final int ENTRIES = 8;
    private static final int LOOKS = 64;

    private final CompletionFeed engine = new CompletionFeed(RNIC, CompletionQueueOptions.capacity(1));
    private final CompletionSource cq = engine.cq();
    private final CompletionCursor cursor = cq.cursor();
    private int polled;
    private boolean ordered = true;

    private boolean poll() {
        if (!cursor.next()) {
            return false;
        }
        ordered &= cursor.wrId() == ++polled;
        return true;
    }

    @Actor
    public void engine() {
        for (int wrId = 1; wrId <= ENTRIES; wrId++) {
            engine.publish(wrId, CompletionOpcode.SEND, 0);
            engine.resize(1 + wrId % 2);
        }
    }

    /** Looks that may come at any moment. */
    @Actor
    public void poller() {
        for (int looks = 0; looks < LOOKS; looks++) {
            poll();
        }
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
