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

    /** A completion and no other flag: the usual choice. */
    public static final WrFlags SIGNALLED = new WrFlags(true, false, false, false, false);

    /**
     * No completion unless the work fails. Such work is done when a later signalled request of the same queue pair has
     * completed, and its buffers must be registered and unchanged until then, on every transport. Inline data is copied when
     * it is posted. On InfiniBand a request is done when the peer has acknowledged it; on iWARP when TCP has taken its bytes,
     * and on shared memory when the peer has them or a ring has a copy.
     */
    public static final WrFlags UNSIGNALLED = new WrFlags(false, false, false, false, false);

    public WrFlags withFence() {
        return new WrFlags(signalled, true, solicited, inline, notifies);
    }

    public WrFlags withSolicited() {
        return new WrFlags(signalled, fenced, true, inline, notifies);
    }

    public WrFlags withInline() {
        return new WrFlags(signalled, fenced, solicited, true, notifies);
    }

    public WrFlags withNotify() {
        return new WrFlags(signalled, fenced, solicited, inline, true);
    }
}
