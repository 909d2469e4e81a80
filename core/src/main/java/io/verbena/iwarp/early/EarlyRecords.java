package io.verbena.iwarp.early;

import io.verbena.base.Digest;
import io.verbena.iwarp.frame.FpduReader;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What is kept of the FPDUs after holes, sorted by stream position: one record for each run of FPDUs that continue one another.
 * Within a run, the header of the first segment determines all others, so only that one is kept:
 *
 * <pre>
 *   kind        a run consists of                           which continue
 *   WRITE       segments of one Write                       key and address
 *   RESPONSE    segments of one Read Response               key and address
 *   SEND        Sends, whole or in part                     MSN and MO
 *   REQUEST     Read Requests and Atomic Requests           MSN
 *   SINGLE      one segment of a Send that invalidates a key
 *   KEPT        one message, whole, in {@link EarlyMessages}
 * </pre>
 *
 * In a WRITE or RESPONSE all segments except the last have the same length, so each of them can be restored for an error report.
 *
 * <pre>
 *    0 | stream position                                                        |
 *    1 | stream offset after the run                                            |
 *    2 | DDP control 8 | RDMAP control 8 | kind 8 | last 8 | STag or reserved 32 |
 *    3 | TO                        or  MSN 32 | MO 32    of the first segment    |
 *    4 | slot in EarlyMessages 32      MSN 32 | MO 32    after the last segment  |
 *    5 | payload bytes                                                          |
 *    6 | segments 32 | ULPDU length of the first 16 | of the last 16             |
 * </pre>
 *
 * The left part of a word is its low half.
 */
public final class EarlyRecords {

    static final int MAX_RECORDS = 768;
    static final int RECORD_BYTES = 7 * Long.BYTES;

    public static final int WRITE = 1;
    public static final int RESPONSE = 2;
    public static final int SEND = 3;
    public static final int REQUEST = 4;
    public static final int SINGLE = 5;
    static final int KEPT = 6;

    private static final int FIRST_CAPACITY = 16;
    private static final int WORDS = 7;
    private static final int END = 1;
    private static final int HEAD = 2;
    private static final int FIRST = 3;
    private static final int AFTER = 4;
    private static final int BYTES = 5;
    private static final int SEGMENTS = 6;

    private static final int KIND_SHIFT = 16;
    private static final int LAST_SHIFT = 24;
    private static final long BYTE = 0xff;
    private static final int L = 0x40;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final FpduReader reader;
    private final int most;
    private final MemorySegment header = MemorySegment.ofArray(new byte[DdpUntagged.LENGTH]);
    private long[] words = {};

    /** Index of the first record in {@code words}: delivered records before it are free. */
    private int first;

    private int count;

    /** No records yet, and never more than this many. */
    EarlyRecords(FpduReader reader, int most) {
        this.reader = reader;
        this.most = most;
    }

    int count() {
        return count;
    }

    int capacity() {
        return words.length / WORDS;
    }

    /** Size after {@link #grow}. */
    int nextCapacity() {
        return words.length == 0 ? FIRST_CAPACITY : Math.min(most, 2 * capacity());
    }

    void grow() {
        words = Arrays.copyOf(words, nextCapacity() * WORDS);
    }

    private int at(int index) {
        return (first + index) * WORDS;
    }

    private int low(int index, int word) {
        return (int) words[at(index) + word];
    }

    private int high(int index, int word) {
        return (int) (words[at(index) + word] >>> Integer.SIZE);
    }

    private static long pair(int low, int high) {
        return (long) high << Integer.SIZE | low & 0xffff_ffffL;
    }

    // Contents.

    public long position(int index) {
        return words[at(index)];
    }

    public long end(int index) {
        return words[at(index) + END];
    }

    public int kind(int index) {
        return (int) (words[at(index) + HEAD] >>> KIND_SHIFT & BYTE);
    }

    private boolean lastFlag(int index) {
        return (words[at(index) + HEAD] >>> LAST_SHIFT & BYTE) != 0;
    }

    private boolean tagged(int index) {
        return kind(index) <= RESPONSE;
    }

    public int segments(int index) {
        return low(index, SEGMENTS);
    }

    private int firstLength(int index) {
        return high(index, SEGMENTS) & 0xffff;
    }

    private int lastLength(int index) {
        return high(index, SEGMENTS) >>> Short.SIZE;
    }

    long payloadBytes(int index) {
        return words[at(index) + BYTES];
    }

    /** MSN of the first segment. */
    public int msn(int index) {
        return low(index, FIRST);
    }

    /** MSN of the message after the complete ones. */
    public int nextMsn(int index) {
        return low(index, AFTER);
    }

    /** Bytes of the incomplete Send at the end of a SEND. */
    public int nextMo(int index) {
        return high(index, AFTER);
    }

    /** Slot of a KEPT message. */
    public int slot(int index) {
        return low(index, AFTER);
    }

    // Search.

    /** Index of the first record that starts at or after {@code offset}; {@link #count} if there is none. */
    int firstFrom(long offset) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (position(middle) >= offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Whether a record ends at {@code offset}, so that the next FPDU starts there. */
    public boolean endsAt(long offset) {
        int i = firstFrom(offset);
        return i > 0 && end(i - 1) == offset;
    }

    // Changes.

    /**
     * Adds an FPDU, whose bytes no record contains, to the run that it continues, or as a record of its own. There is room for
     * one more record.
     *
     * @param slot of a KEPT message
     */
    void add(long position, long end, int kind, Ulpdu u, MemorySegment segment, int slot) {
        int i = firstFrom(position);
        assert i == 0 || end(i - 1) <= position : "overlaps the record before it";
        assert i == count || end <= position(i) : "overlaps the record after it";
        insert(i);
        int w = at(i);
        words[w] = position;
        words[w + END] = end;
        int control = segment.get(ValueLayout.JAVA_BYTE, u.offset()) & 0xff
                | (segment.get(ValueLayout.JAVA_BYTE, u.offset() + 1) & 0xff) << Byte.SIZE;
        words[w + HEAD] =
                pair(control | kind << KIND_SHIFT | (u.last() ? 1 : 0) << LAST_SHIFT, segment.get(U32, u.offset() + 2));
        int mo = (int) u.mo();
        words[w + FIRST] = kind <= RESPONSE ? u.to() : pair(u.msn(), mo);
        words[w + AFTER] =
                kind == KEPT ? slot : u.last() ? pair(u.msn() + 1, 0) : pair(u.msn(), mo + u.payloadLength());
        words[w + BYTES] = u.payloadLength();
        words[w + SEGMENTS] = pair(1, u.length() | u.length() << Short.SIZE);
        joinNeighbours(i);
    }

    /** Moves a record of another table here. There is room for it. */
    void move(EarlyRecords other, int index) {
        int i = firstFrom(other.position(index));
        insert(i);
        System.arraycopy(other.words, other.at(index), words, at(i), WORDS);
        other.remove(index);
        joinNeighbours(i);
    }

    private void joinNeighbours(int i) {
        if (i + 1 < count && continues(i, i + 1)) {
            join(i);
        }
        if (i > 0 && continues(i - 1, i)) {
            join(i - 1);
        }
    }

    private boolean continues(int a, int b) {
        if (kind(a) != kind(b) || end(a) != position(b)) {
            return false;
        }
        return switch (kind(a)) {
            case WRITE, RESPONSE ->
                !lastFlag(a)
                        && (words[at(a) + HEAD] & ~L & 0xffff) == (words[at(b) + HEAD] & ~L & 0xffff)
                        && high(a, HEAD) == high(b, HEAD)
                        && words[at(a) + FIRST] + payloadBytes(a) == words[at(b) + FIRST]
                        && lastLength(a) == firstLength(a)
                        && (segments(b) == 1 || firstLength(b) == firstLength(a));
            case SEND, REQUEST -> words[at(a) + AFTER] == words[at(b) + FIRST];
            default -> false;
        };
    }

    /** Makes one record of this one and the next. */
    private void join(int index) {
        int a = at(index);
        int b = at(index + 1);
        words[a + END] = words[b + END];
        words[a + HEAD] = words[a + HEAD] & ~(BYTE << LAST_SHIFT) | words[b + HEAD] & BYTE << LAST_SHIFT;
        if (!tagged(index)) {
            words[a + AFTER] = words[b + AFTER];
        }
        words[a + BYTES] += words[b + BYTES];
        words[a + SEGMENTS] =
                pair(segments(index) + segments(index + 1), firstLength(index) | lastLength(index + 1) << Short.SIZE);
        System.arraycopy(words, b + WORDS, words, b, (count - index - 2) * WORDS);
        count--;
    }

    private void insert(int index) {
        if ((first + count + 1) * WORDS > words.length) {
            System.arraycopy(words, at(0), words, 0, count * WORDS);
            first = 0;
        }
        int from = at(index);
        System.arraycopy(words, from, words, from + WORDS, (count - index) * WORDS);
        count++;
    }

    void remove(int index) {
        System.arraycopy(words, at(index + 1), words, at(index), (count - index - 1) * WORDS);
        count--;
    }

    public void removeFirst() {
        first++;
        count--;
    }

    /** Removes the first segment of the first record, which has several, from it. Its ULPDU has this length. */
    public void removeFirstSegment(int ulpduLength) {
        int w = at(0);
        words[w] += reader.fpduLength(words[w], ulpduLength);
        if (tagged(0)) {
            words[w + FIRST] += ulpduLength - DdpTagged.LENGTH;
        } else {
            words[w + FIRST] = pair(msn(0) + 1, 0);
        }
        words[w + BYTES] -= ulpduLength - (tagged(0) ? DdpTagged.LENGTH : DdpUntagged.LENGTH);
        words[w + SEGMENTS]--;
        if (segments(0) == 1) {
            words[w + SEGMENTS] = pair(1, lastLength(0) | lastLength(0) << Short.SIZE);
        }
    }

    // Headers.

    /** Decodes the header of the first segment of a record. Returns the memory that contains it. */
    public MemorySegment decodeFirst(int index, Ulpdu u) {
        boolean last = tagged(index) ? lastFlag(index) && segments(index) == 1 : (words[at(index) + HEAD] & L) != 0;
        u.decode(header(index, last), 0, firstLength(index));
        return header;
    }

    /** Decodes a header for all segments of a WRITE or RESPONSE together, as one long segment. */
    public MemorySegment decodeWhole(int index, Ulpdu u) {
        u.decode(header(index, lastFlag(index)), 0, (int) (DdpTagged.LENGTH + payloadBytes(index)));
        return header;
    }

    private MemorySegment header(int index, boolean last) {
        long head = words[at(index) + HEAD];
        header.set(ValueLayout.JAVA_BYTE, 0, (byte) (last ? head | L : head & ~L));
        header.set(ValueLayout.JAVA_BYTE, 1, (byte) (head >>> Byte.SIZE));
        header.set(U32, 2, high(index, HEAD));
        if (tagged(index)) {
            header.set(U64, 6, words[at(index) + FIRST]);
        } else {
            header.set(U32, 6, RdmapOpcode.SEND.qn());
            header.set(U32, 10, msn(index));
            header.set(U32, 14, high(index, FIRST));
        }
        return header;
    }

    long stateDigest(long digest) {
        long d = digest;
        for (int i = at(0); i < at(count); i++) {
            d = Digest.mix(d, words[i]);
        }
        return d;
    }
}
