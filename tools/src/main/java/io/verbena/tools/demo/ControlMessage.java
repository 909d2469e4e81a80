package io.verbena.tools.demo;

import io.verbena.text.PeerText;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A message between the two processes of the demo, by RDMA Send: four bytes of kind, then the fields, big endian.
 *
 * <pre>
 *  HELLO    kind | length (8)                      client: I shall write this many bytes
 *  WELCOME  kind | data (20) | counters (20)       server: write here; the atomic words are there
 *  ECHO     kind | number (8)                      client: return this number
 *  ECHOED   kind | number (8)                      server: all that you did before is done
 *  CHECK    kind                                   client: what is in your memory?
 *  DIGEST   kind | SHA-256 (32)                    server: this
 *  PROBLEM  kind | sentence (the rest, UTF-8)      server: I cannot
 * </pre>
 */
sealed interface ControlMessage {

    /** Most bytes of a message. */
    int MAX_BYTES = 256;

    /** Asks for memory of a length. */
    record Hello(long length) implements ControlMessage {}

    /** Gives memory. */
    record Welcome(RemoteRegion data, RemoteRegion counters) implements ControlMessage {}

    /** Requests an answer, which also confirms that all earlier work has arrived. */
    record Echo(long number) implements ControlMessage {}

    /** Answers an {@link Echo}. */
    record Echoed(long number) implements ControlMessage {}

    /** Asks for the checksum of the memory. */
    record Check() implements ControlMessage {}

    /** The checksum of the memory. */
    record Digest(String sha256) implements ControlMessage {}

    /** The server cannot go on. */
    record Problem(String sentence) implements ControlMessage {}

    /** Stores a message; returns its length. */
    static int write(ControlMessage message, MemorySegment to, long offset) {
        long body = offset + 4;
        return 4
                + switch (message) {
                    case Hello hello -> write(to, offset, Codes.HELLO, hello.length());
                    case Echo echo -> write(to, offset, Codes.ECHO, echo.number());
                    case Echoed echoed -> write(to, offset, Codes.ECHOED, echoed.number());
                    case Check check -> kind(to, offset, Codes.CHECK, 0);
                    case Digest digest ->
                        bytes(to, offset, Codes.DIGEST, HexFormat.of().parseHex(digest.sha256()));
                    case Problem problem -> bytes(to, offset, Codes.PROBLEM, Codes.cut(problem.sentence()));
                    case Welcome welcome -> {
                        welcome.data().write(to, body);
                        welcome.counters().write(to, body + RemoteRegion.ENCODED_BYTES);
                        yield kind(to, offset, Codes.WELCOME, 2 * RemoteRegion.ENCODED_BYTES);
                    }
                };
    }

    /**
     * Loads a message.
     *
     * @throws Failure when the bytes are none
     */
    static ControlMessage read(MemorySegment from, long offset, long length) throws Failure {
        if (length < 4 || length > MAX_BYTES) {
            throw new Failure("Malformed control message: " + length + " bytes, outside 4 to " + MAX_BYTES);
        }
        int kind = from.get(Codes.INT, offset);
        long body = offset + 4;
        if (length - 4 < Codes.leastBody(kind)) {
            throw new Failure("Malformed control message: kind " + kind + " with only " + length + " bytes");
        }
        return switch (kind) {
            case Codes.HELLO -> new Hello(from.get(Codes.LONG, body));
            case Codes.WELCOME ->
                new Welcome(RemoteRegion.read(from, body), RemoteRegion.read(from, body + RemoteRegion.ENCODED_BYTES));
            case Codes.ECHO -> new Echo(from.get(Codes.LONG, body));
            case Codes.ECHOED -> new Echoed(from.get(Codes.LONG, body));
            case Codes.CHECK -> new Check();
            case Codes.DIGEST ->
                new Digest(HexFormat.of()
                        .formatHex(from.asSlice(body, Codes.DIGEST_BYTES).toArray(ValueLayout.JAVA_BYTE)));
            case Codes.PROBLEM ->
                new Problem(PeerText.shown(new String(
                        from.asSlice(body, length - 4).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)));
            default -> throw new Failure("Malformed control message: unknown kind " + kind);
        };
    }

    private static int kind(MemorySegment to, long offset, int kind, int bodyBytes) {
        to.set(Codes.INT, offset, kind);
        return bodyBytes;
    }

    private static int write(MemorySegment to, long offset, int kind, long value) {
        to.set(Codes.LONG, offset + 4, value);
        return kind(to, offset, kind, Long.BYTES);
    }

    private static int bytes(MemorySegment to, long offset, int kind, byte[] body) {
        MemorySegment.copy(body, 0, to, ValueLayout.JAVA_BYTE, offset + 4, body.length);
        return kind(to, offset, kind, body.length);
    }

    /** Numbers on the wire. */
    final class Codes {

        static final int HELLO = 1;
        static final int WELCOME = 2;
        static final int ECHO = 3;
        static final int ECHOED = 4;
        static final int CHECK = 5;
        static final int DIGEST = 6;
        static final int PROBLEM = 7;

        static final int DIGEST_BYTES = 32;

        static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

        private Codes() {}

        static int leastBody(int kind) {
            return switch (kind) {
                case HELLO, ECHO, ECHOED -> Long.BYTES;
                case WELCOME -> 2 * RemoteRegion.ENCODED_BYTES;
                case DIGEST -> DIGEST_BYTES;
                default -> 0;
            };
        }

        static byte[] cut(String sentence) {
            byte[] bytes = sentence.getBytes(StandardCharsets.UTF_8);
            return bytes.length <= MAX_BYTES - 4 ? bytes : Arrays.copyOf(bytes, MAX_BYTES - 4);
        }
    }
}
