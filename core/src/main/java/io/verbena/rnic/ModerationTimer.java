package io.verbena.rnic;

import io.verbena.base.Digest;

/** Ends the wait of an event that moderation holds back; among the engine's deadlines like a connection. */
final class ModerationTimer extends Endpoint {

    private final CqSide side;
    private final Moderator moderator;

    ModerationTimer(CqSide side, Moderator moderator) {
        this.side = side;
        this.moderator = moderator;
    }

    @Override
    void service(long nowNs) {}

    @Override
    void onDeadline(long nowNs) {
        if (moderator.holding()) {
            moderator.told();
            side.tellHeld();
        }
    }

    @Override
    void abort(String sentence, long nowNs) {}

    @Override
    void disconnect(long nowNs) {}

    @Override
    void onBug(String sentence, long nowNs) {
        side.engine().leave(this);
    }

    @Override
    long stateDigest() {
        return Digest.mix(moderator.holding() ? 1 : 0, moderator.count());
    }
}
