package io.verbena.fabric.link;

/** What a flit is for. */
public enum FlitType {
    /** A part of a frame. */
    DATA,
    /** Returned credits without payload; numbered and sent again like data, so that no credit is ever lost. */
    CREDIT,
    /** An acknowledgement only; not numbered. If one is lost, the other side sends again and is answered again. */
    ACK,
    /** How many places of a lane's receive buffer the other end cannot use; numbered. An ACK flit has asked for it. */
    LEVEL;

    private static final FlitType[] ALL = values();

    /** The code in a header. */
    public int code() {
        return ordinal();
    }

    /** The type with a code from 0 to 3. */
    public static FlitType of(int code) {
        return ALL[code];
    }
}
