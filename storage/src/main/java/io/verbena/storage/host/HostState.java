package io.verbena.storage.host;

import io.verbena.base.TransitionTable;

/**
 * States of a {@link StorageHost}: the steps from a connection of the admin queue to a disk, and the ways out of it.
 *
 * <pre>
 *  IDLE -> CONNECTING -> JOINING -> READING_CAPABILITIES -> ENABLING -> AWAITING_READY -> IDENTIFYING
 *              ^                                                                              |
 *              |                          LIVE &lt;- SURVEYING &lt;- CONNECTING_QUEUES &lt;- COUNTING_QUEUES
 *              |                            |                       (discovery: READING_DISCOVERY -> LIVE)
 *   WAITING &lt;- ENDING &lt;---- any failure ----+
 *      |          |                         |
 *      v          v                         v
 *    LOST       CLOSED &lt;- ENDING &lt;- SHUTTING_DOWN &lt;- CLOSING_QUEUES
 * </pre>
 */
public enum HostState {
    /** Nothing has been done. */
    IDLE,
    /** The admin queue is being connected. */
    CONNECTING,
    /** Connect was sent on the admin queue. */
    JOINING,
    /** CAP is being read. */
    READING_CAPABILITIES,
    /** CC.EN is being set. */
    ENABLING,
    /** CSTS is read until RDY is set. */
    AWAITING_READY,
    /** The data of the controller are being read. */
    IDENTIFYING,
    /** The discovery log page is being read. */
    READING_DISCOVERY,
    /** The number of I/O queues is being negotiated. */
    COUNTING_QUEUES,
    /** The I/O queues are being connected and joined. */
    CONNECTING_QUEUES,
    /** The namespaces are being read. */
    SURVEYING,
    /** Requests are executed. */
    LIVE,
    /** The host is being closed: the connections of the I/O queues are ending. */
    CLOSING_QUEUES,
    /** The target flushes and shuts down. */
    SHUTTING_DOWN,
    /** All connections are ending. */
    ENDING,
    /** The host connects again after a delay. */
    WAITING,
    /** The host has given up. */
    LOST,
    /** The host was closed. */
    CLOSED;

    /** What moves a host. */
    public enum Event {
        /** The host is opened. */
        OPEN,
        /** The step of the state is complete. */
        DONE,
        /** The controller is one of the discovery subsystem. */
        IS_DISCOVERY,
        /** A connection, a command or the target failed. */
        FAIL,
        /** The host is closed. */
        CLOSE,
        /** All connections have ended, and the host connects again. */
        DRAINED_RETRY,
        /** All connections have ended, and the host gives up. */
        DRAINED_GIVE_UP,
        /** All connections have ended, and the host was closed. */
        DRAINED_CLOSED,
        /** The delay before the next attempt is over. */
        DELAY_OVER,
        /** The time for attempts is over. */
        GIVE_UP
    }

    static final TransitionTable<HostState, Event> TABLE = table();

    private static TransitionTable<HostState, Event> table() {
        TransitionTable.Builder<HostState, Event> table = TransitionTable.of(HostState.class, Event.class)
                .go(IDLE, Event.OPEN, CONNECTING)
                .go(IDLE, Event.CLOSE, CLOSED)
                .go(CONNECTING, Event.DONE, JOINING)
                .go(JOINING, Event.DONE, READING_CAPABILITIES)
                .go(READING_CAPABILITIES, Event.DONE, ENABLING)
                .go(ENABLING, Event.DONE, AWAITING_READY)
                .go(AWAITING_READY, Event.DONE, IDENTIFYING)
                .go(IDENTIFYING, Event.IS_DISCOVERY, READING_DISCOVERY)
                .go(READING_DISCOVERY, Event.DONE, LIVE)
                .go(IDENTIFYING, Event.DONE, COUNTING_QUEUES)
                .go(COUNTING_QUEUES, Event.DONE, CONNECTING_QUEUES)
                .go(CONNECTING_QUEUES, Event.DONE, SURVEYING)
                .go(SURVEYING, Event.DONE, LIVE)
                .go(LIVE, Event.CLOSE, CLOSING_QUEUES)
                .go(CLOSING_QUEUES, Event.DONE, SHUTTING_DOWN)
                .go(SHUTTING_DOWN, Event.DONE, ENDING)
                .ignore(CLOSING_QUEUES, Event.CLOSE)
                .ignore(SHUTTING_DOWN, Event.CLOSE)
                .ignore(ENDING, Event.FAIL, Event.CLOSE)
                .go(ENDING, Event.DRAINED_RETRY, WAITING)
                .go(ENDING, Event.DRAINED_GIVE_UP, LOST)
                .go(ENDING, Event.DRAINED_CLOSED, CLOSED)
                .go(WAITING, Event.DELAY_OVER, CONNECTING)
                .go(WAITING, Event.GIVE_UP, LOST)
                .go(WAITING, Event.CLOSE, CLOSED)
                .go(LOST, Event.CLOSE, CLOSED)
                .ignore(CLOSED, Event.CLOSE);
        for (HostState state : values()) {
            if (state.connected()) {
                table.go(state, Event.FAIL, ENDING);
            }
            if (state.settingUp()) {
                table.go(state, Event.CLOSE, ENDING);
            }
        }
        return table.otherwiseNever().build();
    }

    /** Whether connections exist that can fail. */
    boolean connected() {
        return settingUp() || this == LIVE || this == CLOSING_QUEUES || this == SHUTTING_DOWN;
    }

    /** Whether the way from a connection to a disk is under way. */
    public boolean settingUp() {
        return ordinal() >= CONNECTING.ordinal() && ordinal() < LIVE.ordinal();
    }

    /** Whether the host will never execute requests again. */
    public boolean over() {
        return this == LOST || this == CLOSED;
    }

    /** Content of docs/generated/storage-host.mmd. */
    static String mermaid() {
        return "%% Generated from HostState; do not edit.\nstateDiagram-v2\n" + TABLE.mermaid("");
    }
}
