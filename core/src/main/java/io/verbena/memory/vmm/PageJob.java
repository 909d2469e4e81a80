package io.verbena.memory.vmm;

import io.verbena.memory.EngineEpoch;
import io.verbena.memory.Revocation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One job of a pager: pages of one segment to be read, or a batch of pages that leave their frames. Reused by the
 * thread that performs it.
 */
public final class PageJob {

    /** Pages of a batch. */
    static final int MOST = 64;

    enum Kind {
        BRING_IN,
        TAKE_OUT
    }

    Kind kind = Kind.BRING_IN;
    int count;
    final @Nullable VirtualSegment[] segments = new VirtualSegment[MOST];
    final long[] pages = new long[MOST];
    final int[] frames = new int[MOST];
    final boolean[] changed = new boolean[MOST];
    final boolean[] failed = new boolean[MOST];

    /** Why, for the last that failed. */
    String reason = "";

    private Optional<Revocation> revocation = Optional.empty();

    void begin(Kind newKind) {
        kind = newKind;
        count = 0;
        reason = "";
        revocation = Optional.empty();
    }

    void add(VirtualSegment segment, long page, int frame, boolean isChanged) {
        segments[count] = segment;
        pages[count] = page;
        frames[count] = frame;
        changed[count] = isChanged;
        failed[count] = false;
        count++;
    }

    boolean isFull() {
        return count == MOST;
    }

    VirtualSegment segment(int index) {
        VirtualSegment segment = segments[index];
        assert segment != null;
        return segment;
    }

    void waitFor(List<EngineEpoch> engines) {
        revocation = Optional.of(Revocation.begin(engines));
    }

    /**
     * Whether no engine uses the pages any more, so that {@link Pager#perform} may be called. Always true for pages to
     * be read.
     */
    public boolean settled() {
        return revocation.isEmpty() || revocation.get().settled();
    }
}
