package io.verbena.rnic.iwarp;

import io.verbena.base.Times;
import java.time.Duration;

/** Why a connection that survives its transports is given up, for people. */
final class Losses {

    private Losses() {}

    /**
     * The process of the peer has probably ended.
     *
     * @param accepts whether the peer opens all connections
     * @param patience for which this side has waited
     * @param reason the end of the last transport, or of the last attempt
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
