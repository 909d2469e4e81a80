package io.verbena.rnic.memory;

import io.verbena.base.Times;
import io.verbena.memory.vmm.SharedSegments;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** An offer of a segment as seen by the application. */
final class SoftSegmentOffer implements SegmentOffer {

    /** Maximum time that closing waits for other processes. */
    static final long CLOSE_NS = 2_000_000_000L;

    private final SharedSegments.Offered offered;
    private final SegmentOfferOptions options;
    private final Consumer<SoftSegmentOffer> onEnd;

    /** @param onEnd called when the offer has ended */
    SoftSegmentOffer(SharedSegments.Offered offered, SegmentOfferOptions options, Consumer<SoftSegmentOffer> onEnd) {
        this.offered = offered;
        this.options = options;
        this.onEnd = onEnd;
    }

    @Override
    public SegmentToken token() {
        return offered.token();
    }

    @Override
    public SegmentOfferOptions options() {
        return options;
    }

    @Override
    public List<Long> processes() {
        return offered.processes();
    }

    @Override
    public boolean revoke(Duration timeout) {
        return end(Times.nanos(timeout));
    }

    boolean end(long timeoutNs) {
        boolean released = offered.end(timeoutNs);
        onEnd.accept(this);
        return released;
    }

    @Override
    public void close() {
        end(CLOSE_NS);
    }
}
