package io.verbena.verbs;

/** Kinds of asynchronous events. */
public enum AsyncEventType {
    /** More completions than a CQ has room for. */
    CQ_OVERFLOW,
    /** A queue pair failed. */
    QP_FATAL,
    /** The peer's request was malformed. */
    QP_REQUEST_ERROR,
    /** The peer tried to reach memory that it may not. */
    QP_ACCESS_ERROR,
    /** A Terminate message came. */
    TERMINATE_RECEIVED,
    /** A connection was closed in good order: nothing touches memory on its account any more. */
    CLOSE_COMPLETE,
    /** The connection was reset: its stream broke. */
    CONNECTION_RESET,
    /** The peer fell silent for longer than the keep-alive bound, or did not finish a close. */
    CONNECTION_LOST,
    /** The peer closed while work was pending. */
    BAD_CLOSE,
    /** A frame's checksum did not match. */
    INVALID_CRC,
    /** A frame was malformed. */
    BAD_FRAME,
    /** The peer left out or repeated a message number. */
    MESSAGE_OUT_OF_ORDER,
    /** The peer had more Reads outstanding than agreed. */
    READ_QUEUE_OVERFLOW,
    /** The last receive of an SRQ that a failed queue pair had taken is complete. */
    LAST_WQE_REACHED,
    /** An SRQ ran low. */
    SRQ_LIMIT_REACHED,
    /** A send queue is drained. */
    SEND_QUEUE_DRAINED,
    /** The last send was acknowledged or data came before set-up was done: the connection stands. */
    COMMUNICATION_ESTABLISHED,
    /** A region's memory is gone: its arena was closed, its file truncated, or its device failed. */
    REGION_LOST,
    /** A remote access to memory that is not mapped. */
    PAGE_FAULT,
    /** An SRQ failed. */
    SRQ_FATAL,
    /** A queue pair moved to its alternate path. */
    PATH_MIGRATED,
    /** It could not. */
    PATH_MIGRATION_FAILED,
    /** A link came up or went down. */
    PORT_CHANGED,
    /** A port's LID changed. */
    LID_CHANGED,
    /** A port's partition keys changed. */
    PKEY_CHANGED,
    /** A port's addresses changed. */
    ADDRESS_CHANGED,
    /** A handler processor ended while a CQ handler was registered on it; its events wait for another handler. */
    HANDLER_PROCESSOR_FAILED,
    /**
     * An address is refused for a time: its peers made too many protection violations. Told once an hour at most for each
     * address, about the RNIC.
     */
    PEER_REFUSED,
    /** A listener dropped peers in set-up, for others that needed their places; told every ten seconds at most. */
    SET_UP_DROPPED,
    /** An engine of the adapter failed: its queue pairs are in ERROR and flushed, its listeners are closed; other engines go on. */
    RNIC_FATAL
}
