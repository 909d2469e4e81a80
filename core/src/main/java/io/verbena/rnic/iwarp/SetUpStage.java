package io.verbena.rnic.iwarp;

import io.verbena.verbs.ConnectionException.Kind;

/** A stage before RDMA mode: whatever ends it, the set-up fails and the queue pair can be connected again. */
abstract class SetUpStage extends Stage {

    /** The reason of a connection that the application closes during its set-up. */
    static final String CLOSED = "The application closed the connection before it was established.";

    private ConnectionSetUp setUp;

    SetUpStage(ConnectionSetUp setUp) {
        super(setUp.queuePair());
        this.setUp = setUp;
    }

    final ConnectionSetUp setUp() {
        return setUp;
    }

    /** The set-up goes on with what the request of the peer has added. */
    final void setUp(ConnectionSetUp decided) {
        setUp = decided;
    }

    /** Releases all resources and reports the failed set-up, unless the stage is over. */
    abstract void giveUp(Kind kind, String sentence);

    @Override
    final boolean abort(String sentence, long nowNs) {
        giveUp(Kind.FAILED, sentence);
        return true;
    }

    @Override
    final void disconnect(long nowNs) {
        if (setUp.survival() instanceof SurvivalTerms.Resuming(Continuation _)) {
            queuePair().closeBegan(ConnectionEvent.DISCONNECT);
        } else {
            giveUp(Kind.FAILED, CLOSED);
        }
    }

    @Override
    final void onBug(String sentence, long nowNs) {
        giveUp(Kind.FAILED, sentence);
    }
}
