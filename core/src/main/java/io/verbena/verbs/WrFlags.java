package io.verbena.verbs;

/**
 * Flags of a work request. Values are immutable: keep the combination in a static final field.
 *
 * @param signalled a completion is generated in any case; without this flag only if the work fails
 * @param fenced execution starts only after all earlier Reads and atomics of the queue are complete
 * @param solicited the message requests an event at the peer (Sends and immediate data)
 * @param inline the payload is copied during posting, so that the buffer can be reused at once
 * @param notifies requests a notification, like Request Completion Notification, for the completion of this work
 */
public record WrFlags(boolean signalled, boolean fenced, boolean solicited, boolean inline, boolean notifies) {

    /** Every combination: a work request that adds a flag makes no object. */
    private static final WrFlags[] ALL = combinations();

    /** A completion and no other flag: the usual choice. */
    public static final WrFlags SIGNALLED = of(true, false, false, false, false);

    /**
     * No completion unless the work fails. Such work is done when a later signalled request of the same queue pair has
     * completed, and its buffers must be registered and unchanged until then, on every transport. Inline data is copied when
     * it is posted. On InfiniBand a request is done when the peer has acknowledged it; on iWARP when TCP has taken its bytes,
     * and on shared memory when the peer has them or a ring has a copy.
     */
    public static final WrFlags UNSIGNALLED = of(false, false, false, false, false);

    public WrFlags withFence() {
        return of(signalled, true, solicited, inline, notifies);
    }

    public WrFlags withSolicited() {
        return of(signalled, fenced, true, inline, notifies);
    }

    public WrFlags withInline() {
        return of(signalled, fenced, solicited, true, notifies);
    }

    public WrFlags withNotify() {
        return of(signalled, fenced, solicited, inline, true);
    }

    private static WrFlags[] combinations() {
        WrFlags[] all = new WrFlags[1 << 5];
        for (int i = 0; i < all.length; i++) {
            all[i] = new WrFlags((i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0, (i & 16) != 0);
        }
        return all;
    }

    private static WrFlags of(boolean signalled, boolean fenced, boolean solicited, boolean inline, boolean notifies) {
        return ALL[
                (signalled ? 1 : 0) | (fenced ? 2 : 0) | (solicited ? 4 : 0) | (inline ? 8 : 0) | (notifies ? 16 : 0)];
    }
}
