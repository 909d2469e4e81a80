package io.verbena.verbs;

/** What a completion is about. */
public enum CompletionOpcode {
    SEND,
    WRITE,
    READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    BIND,
    LOCAL_INVALIDATE,
    DELAY,
    /** A message arrived by Send. */
    RECEIVE,
    /** A message with immediate data and no Write before it. */
    RECEIVE_IMMEDIATE,
    /** A Write with immediate data arrived. */
    RECEIVE_WRITE_IMMEDIATE
}
