package io.verbena.stress.base;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A grant is revoked, and the same connection gets a new one, while its peer accesses the memory by the old one. After the wait the
 * owner uses the memory for something else, and the peer must not touch it by the old grant.
 */
@JCStressTest
@Outcome(
        id = "0, 1",
        expect = Expect.ACCEPTABLE,
        desc = "The peer was inside, so the owner waited; or it came too late.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class RegrantStress {

    private static final int KEY = 7;

    private final MemorySegment page = MemorySegment.ofArray(new long[SharedGrants.PAGE_BYTES / Long.BYTES]);
    private final SharedGrants grants = new SharedGrants(page, () -> 0);
    private final GrantedMemory memory;
    private volatile boolean givenAway;

    public RegrantStress() {
        grants.open(KEY, () -> {});
        SharedGrants.Issued issued = grants.issue(KEY, SharedGrants.NONE).orElseThrow();
        memory = new GrantedMemory(page, page, new GrantedMemory.Terms(KEY, 0, -1, issued.slot(), issued.number()));
    }

    /** Two pieces of a copy. */
    @Actor
    public void peer(II_Result result) {
        for (int piece = 0; piece < 2; piece++) {
            if (memory.enter()) {
                if (givenAway) {
                    result.r1 = 1;
                }
                memory.leave();
            }
        }
    }

    /** Revokes, waits, gives the memory away, and grants something else to the same connection. */
    @Actor
    public void owner() {
        grants.revoke();
        while (!grants.settled()) {
            Thread.onSpinWait();
        }
        givenAway = true;
        grants.open(KEY + 1, () -> {});
        grants.issue(KEY + 1, 0);
    }

    /** It was given away in any case. */
    @Arbiter
    public void after(II_Result result) {
        result.r2 = givenAway ? 1 : 0;
    }
}
