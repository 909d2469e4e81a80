package io.verbena.stress.queue;

import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A work queue grows while the engine changes its elements and retires them: nothing is lost or torn. */
@JCStressTest
@Outcome(
        id = {"0", "1", "2", "3"},
        expect = Expect.ACCEPTABLE,
        desc = "As many as have come, each whole.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Work that was not whole.")
@State
public class GrowStress {

    private static final int TORN = 99;

    private final WorkQueue queue = new WorkQueue(4, Wqe.strideBytes(1, 0), 1);
    private final Wqe written = new Wqe();
    private final Wqe read = new Wqe();

    @Actor
    public void poster() {
        for (int id = 0; id < 3; id++) {
            if (queue.claim(written)) {
                written.clear(WorkOpcode.WRITE, WrFlags.SIGNALLED).wrId(id).remoteAddress(id + 1);
                queue.written();
                queue.publish();
            }
        }
    }

    @Actor
    public void engine(I_Result result) {
        for (int i = 0; i < 3; i++) {
            long oldest = queue.retired();
            long end = queue.posted();
            for (long each = oldest; each < end; each++) {
                queue.at(each, read);
                if (read.wrId() != each || read.remoteAddress() != each + 1) {
                    result.r1 = TORN;
                }
                read.progress((int) each + 1);
            }
            if (oldest < end) {
                result.r1 = queue.at(oldest, read).progress() == oldest + 1 ? result.r1 + 1 : TORN;
                queue.retire();
            }
        }
    }
}
