package io.verbena.sockets.protocol;

/**
 * A message: 32 bits that complete a receive of the peer.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |Type |                         Value                           |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>It is immediate data, or on iWARP with librdmacm a Send of four bytes in the byte order of the machine.
 * Between two Verbenas that agree on it, a Send on iWARP is data instead ({@link ShortMessages}).
 * Source: librdmacm, {@code rsocket.c}, {@code rs_msg_set}.
 */
public final class StreamMessage {

    /** The value is the number of bytes that were just written to the current target. Counts as a credit. */
    static final int DATA = 0;

    /**
     * The value is the number of messages that the peer sends before the receives of the sender hold data. Only if
     * agreed: {@link ConnectData#SHORTS}.
     */
    static final int SHORTS = 1;

    /** The value is the number of data messages that the peer may have sent in all, modulo 2^16. */
    static final int CREDITS = 4;

    /** The value is the number of bytes that the sender, which closes, has left. Only if agreed: {@link ConnectData#RESTS}. */
    static final int REST = 5;

    /** The value is the index of a region that was mapped for direct access. Verbena offers none. */
    static final int MAP = 6;

    /** The value is one of {@link #DISCONNECT}, {@link #KEEP_ALIVE}, {@link #SHUTDOWN}. */
    static final int CONTROL = 7;

    /** Control: the sender neither sends nor reads any more. */
    static final int DISCONNECT = 0;

    /** Control: the connection is in use. */
    static final int KEEP_ALIVE = 1;

    /** Control: the sender sends no more data. */
    static final int SHUTDOWN = 2;

    private static final int TYPE_SHIFT = 29;
    private static final int VALUE_MASK = (1 << TYPE_SHIFT) - 1;

    private StreamMessage() {}

    static int of(int type, int value) {
        return type << TYPE_SHIFT | value & VALUE_MASK;
    }

    static int type(int message) {
        return message >>> TYPE_SHIFT;
    }

    static int value(int message) {
        return message & VALUE_MASK;
    }

    /** For people: {@code DATA 64}, {@code CREDITS 384}, {@code SHUTDOWN}. */
    public static String describe(int message) {
        int value = value(message);
        return switch (type(message)) {
            case DATA -> "DATA " + value;
            case SHORTS -> "SHORTS " + value;
            case CREDITS -> "CREDITS " + value;
            case REST -> "REST " + value;
            case MAP -> "MAP " + value;
            case CONTROL ->
                switch (value) {
                    case DISCONNECT -> "DISCONNECT";
                    case KEEP_ALIVE -> "KEEP_ALIVE";
                    case SHUTDOWN -> "SHUTDOWN";
                    default -> "CONTROL " + value;
                };
            default -> "type " + type(message) + " " + value;
        };
    }
}
