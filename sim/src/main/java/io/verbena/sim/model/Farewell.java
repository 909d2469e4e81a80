package io.verbena.sim.model;

import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.QueuePairChange;
import java.util.List;

/** How a side ends its connection during traffic. */
enum Farewell {
    /** Not before all is done. */
    NONE,
    DISCONNECT,
    BOTH_DISCONNECT,
    MODIFY_TO_CLOSING,
    MODIFY_TO_ERROR,
    CLOSE_CONNECTION,
    CLOSE_QUEUE_PAIR,
    CLOSE_RNIC;

    static final List<Farewell> GENTLE = List.of(DISCONNECT, BOTH_DISCONNECT, MODIFY_TO_CLOSING, CLOSE_CONNECTION);

    /** Whether it is time; some sides end the connection before any traffic. */
    boolean due(Side side) {
        return this != NONE
                && (side.finished()
                        || side.random().nextInt(side.task().quota())
                                < side.sends().posted() / 2);
    }

    /** A queue pair of InfiniBand has no such state. */
    private static void toClosing(Side side) {
        if (side.world().overRoce()) {
            side.connection().orElseThrow().disconnect();
        } else {
            side.queuePair().modify(QueuePairChange.to(IwarpQueuePairState.CLOSING));
        }
    }

    void say(Side side) {
        Conversation conversation = side.conversation();
        switch (this) {
            case NONE -> {}
            case DISCONNECT -> {
                conversation.gentle(side);
                side.connection().orElseThrow().disconnect();
            }
            case BOTH_DISCONNECT -> {
                conversation.gentle(side);
                side.connection().orElseThrow().disconnect();
                side.peer().farewell(DISCONNECT);
            }
            case MODIFY_TO_CLOSING -> {
                conversation.gentle(side);
                try {
                    toClosing(side);
                } catch (IllegalStateException e) {
                    // The other side has ended it meanwhile.
                    conversation.rough("both ended it");
                }
            }
            case MODIFY_TO_ERROR -> {
                conversation.rough(side + " moves its queue pair to ERROR");
                side.queuePair()
                        .modify(
                                side.world().overRoce()
                                        ? QueuePairChange.to(InfinibandQueuePairState.ERR)
                                        : QueuePairChange.to(IwarpQueuePairState.ERROR));
                if (!side.queuePair().state().failed()) {
                    side.fail("modified to ERROR, and it is " + side.queuePair().state());
                }
            }
            case CLOSE_CONNECTION -> {
                // Gracefully within a second if possible, otherwise abruptly.
                conversation.rough(side + " closes its connection");
                side.connection().orElseThrow().close();
                if (!side.connection().orElseThrow().state().ended()) {
                    side.fail("closed, and it is " + side.connection().get().state());
                }
            }
            case CLOSE_QUEUE_PAIR -> {
                conversation.rough(side + " closes its queue pair");
                side.closeQueuePair();
            }
            case CLOSE_RNIC -> side.program().closeRnic();
        }
    }
}
