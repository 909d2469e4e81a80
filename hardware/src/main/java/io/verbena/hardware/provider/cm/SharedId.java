package io.verbena.hardware.provider.cm;

/**
 * An rdma_cm_id that several threads use. It is destroyed by the last of them, because librdmacm accesses it until a call returns, and a
 * call can wait for the network.
 */
public final class SharedId {

    private final long id;
    private final Runnable destroy;
    private int uses;
    private boolean ended;

    /**
     * An id in use.
     *
     * @param destroy destroys it; called once
     */
    public SharedId(long id, Runnable destroy) {
        this.id = id;
        this.destroy = destroy;
    }

    public long id() {
        return id;
    }

    /** Does something with the id, unless it was ended. */
    public void use(Runnable work) {
        if (!enter()) {
            return;
        }
        try {
            work.run();
        } finally {
            leave();
        }
    }

    private synchronized boolean enter() {
        if (!ended) {
            uses++;
        }
        return !ended;
    }

    private void leave() {
        if (last()) {
            destroy.run();
        }
    }

    private synchronized boolean last() {
        return --uses == 0 && ended;
    }

    /** Destroys the id now, or when the threads that use it have left. */
    public void end() {
        if (unused()) {
            destroy.run();
        }
    }

    private synchronized boolean unused() {
        boolean first = !ended;
        ended = true;
        return first && uses == 0;
    }
}
