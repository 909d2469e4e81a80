package io.verbena.verbs;

/** Types of asynchronous events (ibv_event_type). */
public enum AsyncEventType {
    /** A CQ was full when a completion was to be added. The queue pairs concerned go to the error state. */
    CQ_OVERFLOW,
    /** A queue pair failed. */
    QP_FATAL,
    /** The peer sent a malformed request. */
    QP_REQUEST_ERROR,
    /** The peer tried to access memory without the right to do so. */
    QP_ACCESS_ERROR,
    /** A Terminate message was received. */
    TERMINATE_RECEIVED,
    /** A connection was closed gracefully: nothing accesses memory on its behalf any more. */
    CLOSE_COMPLETE,
    /** The byte stream of a connection was reset. */
    CONNECTION_RESET,
    /** The peer was silent for longer than the keep-alive time, or did not complete a close. */
    CONNECTION_LOST,
    /** The peer closed the connection while work was pending. */
    BAD_CLOSE,
    /** The checksum of a frame did not match. */
    INVALID_CRC,
    /** A frame was malformed. */
    BAD_FRAME,
    /** The peer skipped or repeated a message number. */
    MESSAGE_OUT_OF_ORDER,
    /** The peer had more Reads outstanding than negotiated. */
    READ_QUEUE_OVERFLOW,
    /** The last receive that a failed queue pair had taken from an SRQ is complete. */
    LAST_WQE_REACHED,
    /** The number of receives in an SRQ fell below its limit; see {@link SharedReceiveQueue#armLimit}. */
    SRQ_LIMIT_REACHED,
    /** A send queue is drained. */
    SEND_QUEUE_DRAINED,
    /** InfiniBand: data arrived before the connection was established completely. The connection is usable. */
    COMMUNICATION_ESTABLISHED,
    /**
     * The memory of a region is no longer accessible: its arena was closed, its file truncated, or its device failed. Or
     * another process has ended the offer of a segment that is open here; the subject is that {@link AddressSegment}.
     */
    REGION_LOST,
    /** A peer or a work request accessed unmapped memory. */
    PAGE_FAULT,
    /** An SRQ failed. */
    SRQ_FATAL,
    /** InfiniBand: a queue pair moved to its alternate path, by {@link QueuePair#modify}, by its peer, or when retries ran out. */
    PATH_MIGRATED,
    /** A queue pair could not move to its alternate path. */
    PATH_MIGRATION_FAILED,
    /** A link came up or went down. */
    PORT_CHANGED,
    /** The LID of a port changed. */
    LID_CHANGED,
    /** The partition keys of a port changed. */
    PKEY_CHANGED,
    /** The addresses of a port changed. */
    ADDRESS_CHANGED,
    /**
     * A handler processor ended while a CQ handler was registered on it. Its events remain pending until the CQ has
     * another handler.
     */
    HANDLER_PROCESSOR_FAILED,
    /**
     * Connections from an address are refused for a time, because peers at that address committed too many protection
     * violations. The subject is the RNIC. Reported at most once per hour for each address.
     */
    PEER_REFUSED,
    /**
     * A listener dropped peers that were setting up a connection, to serve others. Reported at most every ten seconds.
     */
    SET_UP_DROPPED,
    /**
     * InfiniBand: many packets with implausible packet sequence numbers arrived for a queue pair. Another sender may be
     * guessing the numbers of the connection, to inject a packet or to end the connection. The connection continues.
     */
    PSN_SCAN,
    /** A path of a connection with several paths does not answer, or loses too much: requests avoid it. See {@link Connection#paths}. */
    PATH_RETIRED,
    /** A path that was retired answers again: requests take it. */
    PATH_REVIVED,
    /**
     * A connection continues over another transport after the last one has ended. See {@link
     * ConnectionOptions#surviving}.
     */
    TRANSPORT_CHANGED,
    /**
     * An engine of the RNIC failed. Its queue pairs are in the ERROR state and flushed, and its listeners are closed.
     * Other engines continue.
     */
    RNIC_FATAL
}
