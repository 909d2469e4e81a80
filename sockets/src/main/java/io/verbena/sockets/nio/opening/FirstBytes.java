package io.verbena.sockets.nio.opening;

import io.verbena.sockets.ring.channel.RingFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the first bytes of a TCP stream are. All numbers are big endian.
 *
 * <pre>
 *   0                  16    17    18       20
 *   | MPA ID Req Frame | M.R | rev | length | private data |         a request: RFC 5044 section 7.1
 *   | MPA ID Rep Frame | M.R | rev | length | private data |         a reply
 *
 *   0          8                           40
 *   | VRBNSHMO | the memory that it offers |                         an offer: docs/shared-memory.md
 *   | VRBNRNGO | the memory that it offers |                         an offer of rings: RingFrame
 *
 *   0          8       16     17         18
 *   | VRBNUPGR | nonce | kind | accepts | zero ... |                 private data of an upgrade, 40 bytes
 *
 *   0          8       16
 *   | VRBNWDRW | nonce |                                             a withdrawal
 * </pre>
 *
 * <p>An upgrade asks whether the peer is a Verbena and uses RDMA for this stream; {@link ClientOpening} describes the exchange. It has the
 * form of a request of revision 1, which everything that speaks MPA answers. Programs over librdmacm reject it, because its private data
 * do not begin with their version.
 */
public final class FirstBytes {

    /** Most bytes to read before the decision: the header and the private data of a request. */
    public static final int MOST = 20 + 512;

    /** Length of an upgrade and of the reply to one. */
    public static final int UPGRADE_BYTES = 60;

    static final int WITHDRAWAL_BYTES = 16;

    /** The kinds of an upgrade: a question to be answered with consent or not, and one that is only a question. */
    public static final byte ASKS = 1;

    static final byte PROBES = 2;

    /** Bit of what a server accepts: an offer of rings. */
    private static final byte RINGS = 1;

    private static final byte[] REQUEST_KEY = ascii("MPA ID Req Frame");
    private static final byte[] REPLY_KEY = ascii("MPA ID Rep Frame");
    private static final byte[] OFFER_KEY = ascii("VRBNSHMO");
    private static final byte[] UPGRADE_KEY = ascii("VRBNUPGR");
    private static final byte[] WITHDRAWAL_KEY = ascii("VRBNWDRW");
    private static final int OFFER_BYTES = 40;
    private static final int HEADER_BYTES = 20;
    private static final int FLAGS_AT = 16;
    private static final int REVISION_AT = 17;
    private static final int LENGTH_AT = 18;
    private static final int NONCE_AT = HEADER_BYTES + 8;
    private static final int KIND_AT = HEADER_BYTES + 16;
    private static final int ACCEPTS_AT = HEADER_BYTES + 17;
    private static final int PRIVATE_BYTES = UPGRADE_BYTES - HEADER_BYTES;
    private static final int REJECTED = 0x20;

    /** A request of revision 2 has depths of 4 bytes before the data of the application. */
    private static final int DEPTHS_BYTES = 4;

    private static final int CONNECT_DATA_BYTES = 40;

    /** What precedes the data of the application if the stream is to survive its TCP connection. */
    private static final byte[] SURVIVING_KEY = ascii("VBNS");

    private static final int SURVIVING_BYTES = 48;

    /** The data of a request to continue a stream. */
    private static final byte[] RESUME_KEY = ascii("VR\1");

    private static final int RESUME_BYTES = 64;
    private static final int CONNECT_DATA_VERSION = 1;

    /** What the bytes are. */
    enum Kind {
        /** The beginning of one of the others but {@link #PLAIN}; more bytes are needed. */
        INCOMPLETE,
        /** A whole request for a stream socket, or a whole offer of memory. */
        REQUEST,
        /** A whole offer of rings. */
        RINGS,
        /** A whole upgrade. */
        UPGRADE,
        /** A whole upgrade that only asks who the peer is. */
        PROBE,
        /** Anything else. */
        PLAIN
    }

    private FirstBytes() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    // What a server reads.

    /** The kind of the bytes before the position, as a server reads them. */
    static Kind kind(ByteBuffer read) {
        if (begins(read, REQUEST_KEY)) {
            return ofRequest(read);
        }
        byte[] all = new byte[read.position()];
        read.get(0, all);
        if (RingFrame.beginsOffer(all)) {
            return !RingFrame.isOffer(all) || ofOffer(read) != Kind.REQUEST
                    ? incompleteOr(all, Kind.PLAIN)
                    : Kind.RINGS;
        }
        return begins(read, OFFER_KEY) ? ofOffer(read) : Kind.PLAIN;
    }

    /** Both kinds of offers begin with the same bytes, and have the same length. */
    private static Kind incompleteOr(byte[] offer, Kind whole) {
        return offer.length < OFFER_BYTES ? Kind.INCOMPLETE : whole;
    }

    /** Whether the bytes before the position, as far as they are here, are those of the key. */
    private static boolean begins(ByteBuffer read, byte[] key) {
        byte[] begin = new byte[Math.min(read.position(), key.length)];
        read.get(0, begin);
        return Arrays.equals(begin, 0, begin.length, key, 0, begin.length);
    }

    private static boolean has(ByteBuffer read, int at, byte[] key) {
        byte[] there = new byte[key.length];
        read.get(at, there);
        return Arrays.equals(there, key);
    }

    private static Kind ofRequest(ByteBuffer read) {
        int length = read.position();
        if (length < HEADER_BYTES) {
            return Kind.INCOMPLETE;
        }
        int whole = HEADER_BYTES + privateBytes(read);
        if (whole > MOST || whole < HEADER_BYTES + CONNECT_DATA_BYTES) {
            return Kind.PLAIN; // no stream socket sends so little
        }
        if (length < whole) {
            return Kind.INCOMPLETE;
        }
        if (isUpgrade(read)) {
            return read.get(KIND_AT) == PROBES ? Kind.PROBE : Kind.UPGRADE;
        }
        int data = HEADER_BYTES + (read.get(REVISION_AT) == 1 ? 0 : DEPTHS_BYTES);
        return connects(read, data, whole) || resumes(read, data, whole) ? Kind.REQUEST : Kind.PLAIN;
    }

    private static boolean connects(ByteBuffer read, int at, int end) {
        int data = end - at >= SURVIVING_BYTES && has(read, at, SURVIVING_KEY) ? at + SURVIVING_BYTES : at;
        return end - data >= CONNECT_DATA_BYTES && read.get(data) == CONNECT_DATA_VERSION;
    }

    /** Whether it is a request to continue a stream whose TCP connection has ended: the RNIC answers it. */
    private static boolean resumes(ByteBuffer read, int at, int end) {
        return end - at >= RESUME_BYTES && has(read, at, RESUME_KEY);
    }

    private static int privateBytes(ByteBuffer read) {
        return read.getShort(LENGTH_AT) & 0xFFFF;
    }

    private static boolean isUpgrade(ByteBuffer read) {
        return privateBytes(read) == PRIVATE_BYTES && has(read, HEADER_BYTES, UPGRADE_KEY);
    }

    /** An offer is one only if the process that it names exists: any other peer is a plain one. */
    private static Kind ofOffer(ByteBuffer read) {
        int length = read.position();
        if (length < OFFER_BYTES) {
            return Kind.INCOMPLETE;
        }
        long process = read.getLong(24);
        int handle = read.getInt(32);
        return length == OFFER_BYTES && process > 0 && handle >= 0 && exists(process, handle)
                ? Kind.REQUEST
                : Kind.PLAIN;
    }

    private static boolean exists(long process, int handle) {
        return !Files.isDirectory(Path.of("/proc/self"))
                || Files.exists(Path.of("/proc/" + process + "/fd/" + handle))
                || Files.isDirectory(
                        Path.of("/proc/" + process)); // the memory of a process without native access is a file
    }

    /** The nonce of a whole upgrade. */
    static long nonce(ByteBuffer upgrade) {
        return upgrade.getLong(NONCE_AT);
    }

    /**
     * Whether the bytes {@code from} to the position are a withdrawal: a whole one, or with {@link Kind#INCOMPLETE} the beginning of one.
     *
     * @return {@link Kind#UPGRADE} for a whole withdrawal
     */
    static Kind withdrawal(ByteBuffer read, int from, long nonce) {
        byte[] whole = withdrawal(nonce);
        int length = Math.min(read.position() - from, whole.length);
        byte[] there = new byte[length];
        read.get(from, there);
        if (!Arrays.equals(there, 0, length, whole, 0, length)) {
            return Kind.PLAIN;
        }
        return length < whole.length ? Kind.INCOMPLETE : Kind.UPGRADE;
    }

    // What a client sends and reads.

    public static byte[] upgrade(long nonce, byte kind) {
        return frame(REQUEST_KEY, 0, nonce, kind, 0);
    }

    /** The answer to an upgrade. */
    public static byte[] reply(long nonce, boolean agrees) {
        return reply(nonce, agrees, false);
    }

    /** The same; {@code rings} is whether the server accepts an offer of rings. */
    public static byte[] reply(long nonce, boolean agrees, boolean rings) {
        return frame(REPLY_KEY, agrees ? 0 : REJECTED, nonce, ASKS, rings ? RINGS : 0);
    }

    /** Whether the sender of a whole reply accepts an offer of rings. */
    static boolean acceptsRings(ByteBuffer reply) {
        return (reply.get(ACCEPTS_AT) & RINGS) != 0;
    }

    private static byte[] frame(byte[] key, int flags, long nonce, byte kind, int accepts) {
        return ByteBuffer.allocate(UPGRADE_BYTES)
                .put(key)
                .put((byte) flags)
                .put((byte) 1)
                .putShort((short) PRIVATE_BYTES)
                .put(UPGRADE_KEY)
                .putLong(nonce)
                .put(kind)
                .put((byte) accepts)
                .array();
    }

    public static byte[] withdrawal(long nonce) {
        return ByteBuffer.allocate(WITHDRAWAL_BYTES)
                .put(WITHDRAWAL_KEY)
                .putLong(nonce)
                .array();
    }

    /** What a client reads after its upgrade. */
    enum Answer {
        INCOMPLETE,
        /** A whole reply to this upgrade: RDMA. */
        AGREES,
        /** A whole reply to this upgrade: the stream remains TCP. */
        DECLINES,
        /** A whole reply of another program that speaks MPA. */
        FOREIGN,
        /** Anything else. */
        PLAIN
    }

    /** What the bytes before the position are, as a client reads them. */
    static Answer answer(ByteBuffer read, long nonce) {
        if (!begins(read, REPLY_KEY)) {
            return Answer.PLAIN;
        }
        if (read.position() < HEADER_BYTES) {
            return Answer.INCOMPLETE;
        }
        int whole = HEADER_BYTES + privateBytes(read);
        if (whole > MOST) {
            return Answer.PLAIN;
        }
        if (read.position() < whole) {
            return Answer.INCOMPLETE;
        }
        if (!isUpgrade(read)) {
            return Answer.FOREIGN;
        }
        if (nonce(read) != nonce) {
            return Answer.PLAIN;
        }
        return (read.get(FLAGS_AT) & REJECTED) == 0 ? Answer.AGREES : Answer.DECLINES;
    }
}
