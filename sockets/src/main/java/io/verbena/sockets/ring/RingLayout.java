package io.verbena.sockets.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of a stream. Each word has one writer, except the two that say what a side sleeps for: their side sets them, and the peer clears
 * them. Words that change often have a cache line of their own.
 *
 * <pre>
 *      0 | magic 8 | nonce of the client 16 | nonce of the server 16 |
 *    256 | client: written     8 |    bytes that it has written since the beginning
 *    320 |         read        8 |    bytes of the other ring that it has read
 *    384 |         for bytes   8 |    not 0: sleeps until bytes arrive, or the peer ends: see RingSleep
 *    448 |         for space   8 |    not 0: sleeps until there is space, or the peer ends
 *    512 |         ending      8 | deaf 8 |
 *    576 |         grown      16 * 8 |    for each doubling of its window, the value of written at which it began
 *   1024 | server: the same        |
 *   4096 | ring that the client writes |
 *        | ring that the server writes |
 * </pre>
 *
 * <p>A ring has the size that the client offers, but only its beginning is used at first, its <i>window</i> of one page; pages that were never
 * touched do not exist. A writer that comes to the end of the window continues at its beginning, or doubles it and continues behind it, if what is
 * unread and what it wants to write are more than the window. It notes where it has done so, and the reader follows when it has
 * read up to there. A window never shrinks.
 */
public final class RingLayout {

    /** The first window of a ring. */
    public static final int FIRST_WINDOW_BYTES = 4096;

    /** The largest ring. */
    public static final int MOST_RING_BYTES = 1 << 24;

    public static final int MAGIC_AT = 0;
    public static final int CLIENT_NONCE_AT = 8;
    public static final int SERVER_NONCE_AT = 24;

    /** The first word: "VRBNRNG1". */
    public static final long MAGIC = 0x3147_4e52_4e42_5256L;

    static final int WRITTEN = 0;
    static final int READ = 64;
    static final int FOR_BYTES = 128;
    static final int FOR_SPACE = 192;
    static final int ENDING = 256;
    static final int DEAF = 264;
    static final int GROWN = 320;
    private static final int CLIENT_AT = 256;
    private static final int SERVER_AT = 1024;
    private static final int RINGS_AT = 4096;

    /** Values of {@code ending}, which only grow. */
    static final long OPEN = 0;

    /** Sends no more. */
    static final long SHUT = 1;

    /** Neither sends nor reads. */
    static final long CLOSED = 2;

    static final long RESET = 3;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private RingLayout() {}

    /** The largest size of a ring that is no larger than this. */
    public static int ringBytes(int most) {
        return Math.clamp(Integer.highestOneBit(most), FIRST_WINDOW_BYTES, MOST_RING_BYTES);
    }

    /** Whether a ring can have this size. */
    public static boolean valid(int ringBytes) {
        return ringBytes >= FIRST_WINDOW_BYTES && ringBytes <= MOST_RING_BYTES && Integer.bitCount(ringBytes) == 1;
    }

    /** Bytes of the memory for two rings of this size. */
    public static int bytes(int ringBytes) {
        return RINGS_AT + 2 * ringBytes;
    }

    static int word(boolean client, int word) {
        return (client ? CLIENT_AT : SERVER_AT) + word;
    }

    /** Where the ring begins that a side writes. */
    static int ring(boolean client, int ringBytes) {
        return client ? RINGS_AT : RINGS_AT + ringBytes;
    }

    static long load(ByteBuffer memory, int at) {
        return (long) WORD.getAcquire(memory, at);
    }

    static void store(ByteBuffer memory, int at, long value) {
        WORD.setRelease(memory, at, value);
    }

    /** Clears a word; returns what it was. */
    static long take(ByteBuffer memory, int at) {
        return (long) WORD.getOpaque(memory, at) == 0 ? 0 : (long) WORD.getAndSet(memory, at, 0L);
    }
}
