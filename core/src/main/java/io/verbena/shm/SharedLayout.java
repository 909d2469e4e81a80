package io.verbena.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;

/**
 * The layout of the memory that the two sides of a connection share. Each word has one writer, except {@code asleep},
 * which its owner sets and either side clears.
 *
 * <pre>
 *       0 | magic                  8 | nonce of the initiator 16 | nonce of the acceptor 16 |
 *      40 | wishes of the initiator 8 | wishes of the acceptor 8 |
 *     128 | initiator: consumed    8 |
 *     192 |            asleep      8 |
 *     256 |            ending      8 | killed                 8 | takes 8 |
 *     320 |            opened      8 | processed              8 |
 *     384 | acceptor:  consumed    8 |
 *     448 |            asleep      8 |
 *     512 |            ending      8 | killed                 8 | takes 8 |
 *     576 |            opened      8 | processed              8 |
 *    1024 | ring that the initiator writes                    ring bytes |
 *         | ring that the acceptor writes                     ring bytes |
 * </pre>
 *
 * <p>A ring is a sequence of records, each at a multiple of 64 bytes, so that a short record is one cache line:
 *
 * <pre>
 *   | length 32 | number 32 | length bytes | padding to a multiple of 64 |
 * </pre>
 *
 * The number is the position of the record in the stream of all records, in units of 64 bytes, plus one. The writer
 * clears the header after a record, writes its bytes, and publishes the record with its header: so the reader watches one
 * word, and the first line that it reads contains both the header and a short payload.
 *
 * <p>Only the beginning of a ring is used at first, its window, so that a connection with little traffic has few pages: one
 * with the words and the first bytes of one ring, and one of the other ring. The
 * record that fills a window to its end tells in its length, by {@link #GROWS}, whether the window doubles and the next
 * record follows it, or the next record is at the beginning. A window never shrinks.
 */
public final class SharedLayout {

    /** Size of a cache line, to which records are aligned. */
    public static final int LINE = 64;

    /** Bytes of the header of a record. */
    public static final int HEADER = 8;

    /** Smallest size of a ring in bytes. */
    public static final int LEAST_RING_BYTES = 4096;

    /** Largest size of a ring in bytes. */
    public static final int MOST_RING_BYTES = 1 << 24;

    /** The window of a ring at first. */
    public static final int FIRST_WINDOW_BYTES = 16 * 1024;

    /** The first word: "VRBNSHM3". */
    static final long MAGIC = 0x334d_4853_4e42_5256L;

    /** Bit of the length of a record: the window ends with this record and doubles. */
    static final int GROWS = 1 << 30;

    static final int NONCE = 8;
    static final int ANSWER = 24;
    static final int WISHES = 40;

    /** Bit of the wishes of a side: memory of each other is accessed directly if the other side wishes it, too. */
    static final long DIRECT = 1;

    /** Bit of the length of a record: it is a short message, whole, in place of bytes of the stream. */
    static final int MESSAGE = 1 << 29;

    static final int SIDE = 128;
    static final int SIDE_BYTES = 256;
    static final int CONSUMED = 0;
    static final int ASLEEP = 64;
    static final int ENDING = 128;
    static final int KILLED = 136;
    static final int TAKES = 144;
    static final int OPENED = 192;
    static final int PROCESSED = 200;
    static final int RINGS = 1024;

    /** Values of {@code ending}, and of {@code killed}, which counts if the process of the side ends and {@code ending} is {@code OPEN}. */
    static final long OPEN = 0;

    static final long ENDED = 1;
    static final long RESET = 2;

    /** Bits of {@code asleep}: what wakes the side. */
    static final long FOR_BYTES = 1;

    static final long FOR_ROOM = 2;

    static final long FOR_RETURNS = 4;

    /** Bit of the length of a record: it carries no bytes of the stream but a {@link LoanRecord}. */
    static final int LOAN = 1 << 31;

    /** Blocks of each side that the other side has open at the same time. */
    static final int SLOTS = 16;

    /** Accesses the aligned long words of a direct buffer. */
    static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private SharedLayout() {}

    /**
     * A line of the layout by its first word, for pictures.
     *
     * @param name what it is
     * @param initiator whether the initiator writes it
     * @param offset where it begins
     */
    public record Word(String name, boolean initiator, int offset) {}

    /** The words of both sides, by their offsets. */
    public static List<Word> words() {
        return Stream.of(true, false)
                .flatMap(initiator -> Stream.of(
                        new Word("consumed", initiator, word(initiator, CONSUMED)),
                        new Word("asleep", initiator, word(initiator, ASLEEP)),
                        new Word("ending", initiator, word(initiator, ENDING)),
                        new Word("opened", initiator, word(initiator, OPENED))))
                .toList();
    }

    /** Offset of the first ring, which the initiator writes; the other one follows it. */
    public static int rings() {
        return RINGS;
    }

    /** Size of the memory for two rings of this size. */
    public static int bytes(int ringBytes) {
        return RINGS + 2 * ringBytes;
    }

    /** Whether a ring can have this size. */
    public static boolean valid(int ringBytes) {
        return ringBytes >= LEAST_RING_BYTES && ringBytes <= MOST_RING_BYTES && Integer.bitCount(ringBytes) == 1;
    }

    /** The window with which a ring of this size begins. */
    static int firstWindow(int ringBytes) {
        return Math.min(ringBytes, FIRST_WINDOW_BYTES);
    }

    /** Offset of a word of one side. */
    static int word(boolean initiator, int word) {
        return SIDE + (initiator ? 0 : SIDE_BYTES) + word;
    }

    /** Offset of the ring that this side writes. */
    static int ring(boolean initiator, int ringBytes) {
        return initiator ? RINGS : RINGS + ringBytes;
    }

    /** Offset of what a side wishes. */
    static int wishes(boolean initiator) {
        return WISHES + (initiator ? 0 : Long.BYTES);
    }

    static long load(ByteBuffer memory, int word) {
        return (long) WORD.getAcquire(memory, word);
    }

    static void store(ByteBuffer memory, int word, long value) {
        WORD.setRelease(memory, word, value);
    }

    /** Bytes that a record with this many payload bytes occupies. */
    static int occupied(int length) {
        return HEADER + length + LINE - 1 & -LINE;
    }

    /** The header of a record at a position. */
    static long header(long position, int length) {
        return number(position) << Integer.SIZE | length & 0xffff_ffffL;
    }

    /** The number in the header of a record at a position; never 0 together with a length. */
    static long number(long position) {
        return position / LINE + 1 & 0xffff_ffffL;
    }
}
