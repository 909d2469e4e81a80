package io.verbena.verbs;

/**
 * Flags of a work request. Values are constants: keep the combination you use in a static final field.
 *
 * @param signalled a completion appears when the work is done; without it only if it fails
 * @param fenced starts only when all earlier Reads and atomics of the queue are complete
 * @param solicited the message asks for an event at the peer (Sends and immediate data)
 * @param inline the payload is copied when posted, so that the buffer is free at once
 * @param notifies asks, as Request Completion Notification does, for an event when this work completes
 */
public record WrFlags(boolean signalled, boolean fenced, boolean solicited, boolean inline, boolean notifies) {

    /** A completion and nothing else: the usual choice. */
    public static final WrFlags SIGNALLED = new WrFlags(true, false, false, false, false);

    /** No completion unless the work fails. */
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
