package io.verbena.messaging.ring;

import java.util.ArrayList;
import java.util.List;

/** Work that the channels of an endpoint post during one round of progress. The frames of a batch share system calls. */
public final class PostingBatch {

    private final List<RingPoster> posters = new ArrayList<>();
    private boolean open;

    /**
     * Starts a batch.
     *
     * @return whether this call started it; false inside another batch. The value is the argument of {@link #end}
     */
    public boolean start() {
        boolean starts = !open;
        open = true;
        return starts;
    }

    /** Rings the doorbells of all channels that have posted, if the caller is the one that started the batch. */
    public void end(boolean started) {
        if (!started) {
            return;
        }
        open = false;
        for (int i = 0; i < posters.size(); i++) {
            posters.get(i).endBatch();
        }
        posters.clear();
    }

    /** Returns whether a batch is open; the poster is part of it then. */
    boolean join(RingPoster poster) {
        if (open) {
            posters.add(poster);
        }
        return open;
    }
}
