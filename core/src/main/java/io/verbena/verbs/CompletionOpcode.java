package io.verbena.verbs;

/** Operation that a completion reports (ibv_wc_opcode). */
public enum CompletionOpcode {
    SEND,
    WRITE,
    READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    BIND,
    LOCAL_INVALIDATE,
    DELAY,
    /** A Send arrived and used this receive. */
    RECEIVE,
    /** Immediate data without a Write arrived and used this receive. */
    RECEIVE_IMMEDIATE,
    /** A Write with immediate data arrived and used this receive. */
    RECEIVE_WRITE_IMMEDIATE
}
