package io.verbena.iwarp.frame;

import io.verbena.iwarp.CompletionGate;
import io.verbena.iwarp.FarewellExchange;
import io.verbena.iwarp.KeepAlive;
import io.verbena.iwarp.StreamState;

/** The kinds of units that a stream sends. The tag of a unit in a transmit list holds its kind, its payload, and its end. */
public enum FrameKind {
    /** A segment of a message of this side. */
    MESSAGE,
    /** The only segment of a Send. */
    WHOLE_SEND,
    /** The only segment of a Write. */
    WHOLE_WRITE,
    /** A segment of an answer to a Read or atomic of the peer. */
    ANSWER,
    TERMINATE,
    /** The first FPDU of an initiator (RFC 6581). */
    RTR,
    /** An empty Write to a peer that has sent nothing yet, see {@link StreamState}. */
    NUDGE,
    /** A Read of length zero, see {@link KeepAlive}. */
    PROBE,
    /** An empty Write after the peer's FIN, see {@link CompletionGate}. */
    FIN_CHECK,
    /** A responder's HELLO, see {@link FarewellExchange}. */
    HELLO,
    FAREWELL,
    /** A farewell of a side that has the one of its peer. */
    CONFIRMATION,
    /** An empty Write that states how many requests of the peer were executed, where a connection survives. */
    ACKNOWLEDGMENT;

    private static final FrameKind[] KINDS = values();
    private static final int KIND_MASK = 0xff;
    private static final long LAST = 0x100;
    private static final int PAYLOAD_SHIFT = 16;

    /** The tag of a unit of this kind; {@code last} if its message ends with it. */
    public long tag(int payload, boolean last) {
        return (long) payload << PAYLOAD_SHIFT | (last ? LAST : 0) | ordinal();
    }

    public static FrameKind ofTag(long tag) {
        return KINDS[(int) tag & KIND_MASK];
    }

    public static int payloadOfTag(long tag) {
        return (int) (tag >>> PAYLOAD_SHIFT);
    }

    public static boolean lastOfTag(long tag) {
        return (tag & LAST) != 0;
    }
}
