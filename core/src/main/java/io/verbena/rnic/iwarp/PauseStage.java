package io.verbena.rnic.iwarp;

/** A connection that survives is without a stream: it waits for the next attempt, or for the peer. */
final class PauseStage extends Stage {

    private final Continuation survivor;

    PauseStage(IwarpQueuePair queuePair, Continuation survivor) {
        super(queuePair);
        this.survivor = survivor;
    }

    @Override
    void service(long nowNs) {}

    @Override
    void onDeadline(long nowNs) {
        survivor.onDeadline(nowNs);
    }

    @Override
    boolean abort(String sentence, long nowNs) {
        queuePair().end(this);
        return true;
    }

    @Override
    void disconnect(long nowNs) {
        queuePair().closeBegan(ConnectionEvent.DISCONNECT);
    }

    @Override
    void fence(String sentence) {
        queuePair().end(this);
    }

    @Override
    void onBug(String sentence, long nowNs) {
        queuePair().end(this);
    }

    @Override
    long stateDigest() {
        return 2;
    }
}
