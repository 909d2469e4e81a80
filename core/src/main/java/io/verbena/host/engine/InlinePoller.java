package io.verbena.host.engine;

import io.verbena.rnic.context.Poller;
import java.util.function.Supplier;

/**
 * A place in an INLINE program that polls repeatedly: a CQ, or the program's own calls of {@code progress}. It remembers
 * whether its last polls found nothing. Each place has its own memory, because a program that polls several CQs in turn finds
 * each of them empty once, and not one of them repeatedly.
 */
public final class InlinePoller implements Poller {

    private final Supplier<InlineDriver> driver;

    /** Whether the last poll found nothing, since when, its time, and the state of the group at that time. */
    private boolean empty;

    private long emptySinceNs;
    private long emptyAtNs;
    private long found;

    public InlinePoller(Supplier<InlineDriver> driver) {
        this.driver = driver;
    }

    @Override
    public int progress() {
        return driver.get().progress(this);
    }

    /**
     * Whether a poll now continues polls that found nothing, with no work in between.
     *
     * @param oftenNs a program with more time than this between its polls computes: its polls do not occupy a processor
     */
    boolean continues(long foundNow, long nowNs, long oftenNs) {
        return empty && found == foundNow && nowNs - emptyAtNs <= oftenNs;
    }

    long emptySinceNs() {
        return emptySinceNs;
    }

    /** A poll has found nothing. */
    void wasEmpty(long foundNow, long nowNs, boolean repeated) {
        if (!repeated) {
            emptySinceNs = nowNs;
        }
        empty = true;
        emptyAtNs = nowNs;
        found = foundNow;
    }
}
