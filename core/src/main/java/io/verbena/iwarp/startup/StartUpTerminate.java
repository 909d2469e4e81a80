package io.verbena.iwarp.startup;

/** The Terminate messages that belong to start-up: layer LLP, type MPA (RFC 6581 sections 8 and 9.3). */
public enum StartUpTerminate {
    /** 2/0/5: an error of this side without another code. */
    LOCAL_CATASTROPHIC(5),
    /** 2/0/6: this side cannot serve as many outstanding Reads as the peer requires. */
    INSUFFICIENT_IRD(6),
    /** 2/0/7: no common connection model or RTR message. */
    NO_MATCHING_RTR(7);

    private final int code;

    StartUpTerminate(int code) {
        this.code = code;
    }

    /** The layer: 2, LLP. */
    public int layer() {
        return 2;
    }

    /** The error type: 0, MPA. */
    public int type() {
        return 0;
    }

    /** The error code. */
    public int code() {
        return code;
    }
}
