package io.verbena.rnic.iwarp;

import io.verbena.base.Times;
import io.verbena.survival.LostReason;
import java.time.Duration;

/** Why a connection that survives its transports is lost, for people. */
final class Losses {

    private Losses() {}

    /** @param reason the end of the last transport, or of the last attempt */
    static String sentence(LostReason why, String reason) {
        return switch (why) {
            case TOO_LATE -> "The connection could not be continued over another transport in time. " + reason;
            case UNKNOWN_TO_PEER ->
                "The process of the peer has ended, or has given the connection up: at all its addresses the connection is"
                        + " unknown. " + reason;
            case VIOLATION -> "The peer states a progress that it cannot have.";
        };
    }

    /**
     * The process of the peer has probably ended.
     *
     * @param accepts whether the peer opens all connections
     * @param patience for which this side has waited
     * @param reason as above
     */
    static String exited(boolean accepts, Duration patience, String reason) {
        String time = Times.text(patience);
        return "The process of the peer has probably ended: "
                + (accepts
                        ? "its stream has ended as that of a killed process, and it has not connected again within "
                                + time
                        : "all its addresses have refused connections for " + time)
                + ". " + reason;
    }
}
