package io.verbena.tools.perf;

import io.verbena.text.PeerText;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The messages between the two sides: the first four are private data of the connection set-up, the others are sent over the
 * control connection. Big endian; anything else is rejected with a sentence.
 *
 * <pre>
 *            0    4         6      8
 *          | VPRF | version | kind | fields
 *
 *  OPEN    | token (16) | maxBytes (4) | queuePairs (4) | depth (4)      client: I shall want this much
 *  OPENED  | session (8) | inline (1) | crc (1) | markers (1)            server: open this many connections
 *  JOIN    | session (8) | index (4) | memory (20)                      client: one of them, and its memory here
 *  JOINED  | memory (20)                                                server: its memory there
 *  START   | op (4) | sizeBytes (4) | limitNs (8)                       client: a run begins, take your part
 *  READY   |                                                            server: I do
 *  END     |                                                            client: the run is over
 *  RESULT  | cpuNs (8) | compilerNs (8) | messages (8)                  server: what it took here
 *  PROBLEM | sentence (the rest, UTF-8)                                 server: I cannot
 * </pre>
 */
sealed interface PerfMessage {

    /** Most bytes of a message. */
    int MAX_BYTES = 256;

    /** Bytes of a token. */
    int TOKEN_BYTES = 16;

    /** Most bytes of a message to be measured. */
    int MOST_SIZE = 1 << 28;

    int MOST_QUEUE_PAIRS = 256;
    int MOST_DEPTH = 8192;

    /** A client wants to measure. */
    record Open(byte[] token, int maxBytes, int queuePairs, int depth) implements PerfMessage {}

    /** The server lets it. */
    record Opened(long session, boolean inline, boolean crc, boolean markers) implements PerfMessage {}

    /** One of a session's connections. */
    record Join(long session, int index, RemoteRegion memory) implements PerfMessage {}

    /** Answers a {@link Join}. */
    record Joined(RemoteRegion memory) implements PerfMessage {}

    /** A run begins. */
    record Start(PerfOp op, int sizeBytes, long limitNs) implements PerfMessage {}

    /** The server takes its part from now on. */
    record Ready() implements PerfMessage {}

    /** The run is over. */
    record End() implements PerfMessage {}

    /** What the run took at the server. */
    record Result(long cpuNs, long compilerNs, long messages) implements PerfMessage {}

    /** The server cannot. */
    record Problem(String sentence) implements PerfMessage {}

    /** The bytes of a message. */
    static byte[] bytes(PerfMessage message) {
        ByteBuffer to = ByteBuffer.allocate(MAX_BYTES)
                .putInt(Codes.MAGIC)
                .putShort(Codes.VERSION)
                .putShort((short) Codes.kind(message));
        switch (message) {
            case Open(byte[] token, int maxBytes, int queuePairs, int depth) ->
                to.put(token).putInt(maxBytes).putInt(queuePairs).putInt(depth);
            case Opened(long session, boolean inline, boolean crc, boolean markers) ->
                to.putLong(session).put(bit(inline)).put(bit(crc)).put(bit(markers));
            case Join(long session, int index, RemoteRegion memory) ->
                to.putLong(session).putInt(index).put(memory.toBytes());
            case Joined(RemoteRegion memory) -> to.put(memory.toBytes());
            case Start(PerfOp op, int sizeBytes, long limitNs) ->
                to.putInt(op.ordinal()).putInt(sizeBytes).putLong(limitNs);
            case Result(long cpuNs, long compilerNs, long messages) ->
                to.putLong(cpuNs).putLong(compilerNs).putLong(messages);
            case Problem(String sentence) -> to.put(Codes.cut(sentence));
            case Ready ready -> {}
            case End end -> {}
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    /**
     * Reads a message that a peer sent.
     *
     * @throws Failure when the bytes are none, or a field is out of its range
     */
    static PerfMessage read(byte[] bytes) throws Failure {
        if (bytes.length < Codes.HEADER_BYTES || bytes.length > MAX_BYTES) {
            throw new Failure("The peer does not speak 'verbena perf': it sent " + bytes.length + " bytes");
        }
        ByteBuffer from = ByteBuffer.wrap(bytes);
        if (from.getInt() != Codes.MAGIC) {
            throw new Failure("The peer does not speak 'verbena perf': its first bytes differ");
        }
        int version = from.getShort();
        if (version != Codes.VERSION) {
            throw new Failure("The peer speaks version " + version + " of 'verbena perf' and this side version "
                    + Codes.VERSION + ": use the same version on both sides");
        }
        int kind = from.getShort();
        if (from.remaining() < Codes.leastFields(kind)) {
            throw new Failure("The peer's message of kind " + kind + " has only " + bytes.length + " bytes");
        }
        return body(kind, from);
    }

    private static PerfMessage body(int kind, ByteBuffer from) throws Failure {
        return switch (kind) {
            case Codes.OPEN -> {
                byte[] token = new byte[TOKEN_BYTES];
                from.get(token);
                yield new Open(
                        token,
                        inRange("a size", from.getInt(), 1, MOST_SIZE),
                        inRange("queue pairs", from.getInt(), 1, MOST_QUEUE_PAIRS),
                        inRange("a depth", from.getInt(), 1, MOST_DEPTH));
            }
            case Codes.OPENED -> new Opened(from.getLong(), from.get() != 0, from.get() != 0, from.get() != 0);
            case Codes.JOIN ->
                new Join(from.getLong(), inRange("a number", from.getInt(), 0, MOST_QUEUE_PAIRS - 1), memory(from));
            case Codes.JOINED -> new Joined(memory(from));
            case Codes.START -> {
                int op = from.getInt();
                yield new Start(
                        PerfOp.numbered(op)
                                .orElseThrow(() -> new Failure("The peer requests the unknown operation " + op)),
                        inRange("a size", from.getInt(), 1, MOST_SIZE),
                        inRange("a time", from.getLong(), 0, PerfRun.MOST_NS));
            }
            case Codes.READY -> new Ready();
            case Codes.END -> new End();
            case Codes.RESULT -> new Result(from.getLong(), from.getLong(), from.getLong());
            case Codes.PROBLEM -> new Problem(Codes.sentence(from));
            default -> throw new Failure("The peer sent a message of the unknown kind " + kind);
        };
    }

    private static RemoteRegion memory(ByteBuffer from) throws Failure {
        byte[] region = new byte[RemoteRegion.ENCODED_BYTES];
        from.get(region);
        try {
            return RemoteRegion.fromBytes(region);
        } catch (IllegalArgumentException e) {
            throw new Failure("The peer's memory has a negative length", e);
        }
    }

    private static int inRange(String what, int value, int least, int most) throws Failure {
        return (int) inRange(what, (long) value, least, most);
    }

    private static long inRange(String what, long value, long least, long most) throws Failure {
        if (value < least || value > most) {
            throw new Failure(
                    "The peer requests " + what + " of " + value + ", which is outside " + least + " to " + most);
        }
        return value;
    }

    private static byte bit(boolean flag) {
        return (byte) (flag ? 1 : 0);
    }

    /** Numbers on the wire. */
    final class Codes {

        static final int MAGIC = 0x5650_5246; // "VPRF"
        static final short VERSION = 2;
        static final int HEADER_BYTES = 8;

        static final int OPEN = 1;
        static final int OPENED = 2;
        static final int JOIN = 3;
        static final int JOINED = 4;
        static final int START = 5;
        static final int READY = 6;
        static final int END = 7;
        static final int RESULT = 8;
        static final int PROBLEM = 9;

        private Codes() {}

        static int kind(PerfMessage message) {
            return switch (message) {
                case Open open -> OPEN;
                case Opened opened -> OPENED;
                case Join join -> JOIN;
                case Joined joined -> JOINED;
                case Start start -> START;
                case Ready ready -> READY;
                case End end -> END;
                case Result result -> RESULT;
                case Problem problem -> PROBLEM;
            };
        }

        static int leastFields(int kind) {
            return switch (kind) {
                case OPEN -> TOKEN_BYTES + 12;
                case OPENED -> 11;
                case JOIN -> 12 + RemoteRegion.ENCODED_BYTES;
                case JOINED -> RemoteRegion.ENCODED_BYTES;
                case START -> 16;
                case RESULT -> 24;
                default -> 0;
            };
        }

        static byte[] cut(String sentence) {
            byte[] bytes = sentence.getBytes(StandardCharsets.UTF_8);
            return Arrays.copyOf(bytes, Math.min(bytes.length, MAX_BYTES - HEADER_BYTES));
        }

        static String sentence(ByteBuffer from) {
            return PeerText.shown(StandardCharsets.UTF_8.decode(from).toString());
        }
    }
}
