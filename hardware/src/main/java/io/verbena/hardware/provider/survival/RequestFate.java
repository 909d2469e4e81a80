package io.verbena.hardware.provider.survival;

/**
 * What becomes of a request that was outstanding when the transport ended. The responder is an adapter, which does not
 * say what it has executed: this table is all that is known, and nothing is guessed.
 */
public enum RequestFate {
    /** It is sent over the new queue pair. */
    SENT_AGAIN,
    /** It completes with success. */
    COMPLETE,
    /** It completes with the status OUTCOME_UNKNOWN. */
    UNKNOWN;

    /** What a second execution does. */
    public enum Kind {
        /** It changes nothing that the first one has not changed; nothing is returned. */
        WRITE,
        /** It changes nothing, and the data are needed. */
        READ,
        /** It takes another receive of the peer. */
        MESSAGE,
        /** It changes memory again, and the result of the first one is needed. */
        ATOMIC;

        private static final Kind[] BY_NATIVE_OPCODE = {WRITE, MESSAGE, MESSAGE, MESSAGE, READ, ATOMIC, ATOMIC};

        /** The kind of a request with this ibv_wr_opcode. */
        public static Kind of(int nativeOpcode) {
            return BY_NATIVE_OPCODE[nativeOpcode];
        }
    }

    /** What is known about the execution. */
    public enum Evidence {
        /** No queue pair had it, or the log says that the request before it was not executed. */
        NOT_EXECUTED,
        /** The log has its entry. */
        EXECUTED,
        /** There is no log, or it ends before the entry of this request. */
        NONE
    }

    /** The table. */
    public static RequestFate of(Kind kind, Evidence evidence) {
        return switch (evidence) {
            case NOT_EXECUTED -> SENT_AGAIN;
            case EXECUTED ->
                switch (kind) {
                    case WRITE, MESSAGE -> COMPLETE;
                    case READ -> SENT_AGAIN;
                    case ATOMIC -> UNKNOWN; // its result is lost
                };
            case NONE -> kind == Kind.WRITE || kind == Kind.READ ? SENT_AGAIN : UNKNOWN;
        };
    }
}
