package io.verbena.rnic.completion;

import io.verbena.base.Digest;
import io.verbena.engine.Endpoint;
import io.verbena.notify.Moderator;

/**
 * Signals an event that moderation delays when its period has passed. The engine keeps it among its deadlines like a
 * connection.
 */
final class ModerationTimer extends Endpoint {

    private final CqSide side;
    private final Moderator moderator;

    ModerationTimer(CqSide side, Moderator moderator) {
        this.side = side;
        this.moderator = moderator;
    }

    @Override
    protected void service(long nowNs) {}

    @Override
    protected void onDeadline(long nowNs) {
        if (moderator.holding()) {
            moderator.signalled();
            side.signalHeld();
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        side.engine().leave(this);
    }

    @Override
    protected long stateDigest() {
        return Digest.mix(moderator.holding() ? 1 : 0, moderator.count());
    }
}
