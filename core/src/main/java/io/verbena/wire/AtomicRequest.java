package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The RDMAP header of an Atomic Request; it follows the untagged DDP header and is the whole payload.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Reserved                        |AOpCode|
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                      Request Identifier                       |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                          Remote STag                          |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                     Remote Tagged Offset                      |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Add or Swap Data                        |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Add or Swap Mask                        |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                         Compare Data                          |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                         Compare Mask                          |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 7306 section 5.2.1.
 */
public final class AtomicRequest {
    /** Bytes. */
    public static final int LENGTH = 52;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int OPERATION_WORD = 0;
    private static final int REQUEST_IDENTIFIER = 4;
    private static final int REMOTE_STAG = 8;
    private static final int REMOTE_TO = 12;
    private static final int ADD_OR_SWAP_DATA = 20;
    private static final int ADD_OR_SWAP_MASK = 28;
    private static final int COMPARE_DATA = 36;
    private static final int COMPARE_MASK = 44;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public AtomicRequest wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** The first word: 28 reserved bits and AOpCode. */
    public int operationWord() {
        return segment.get(U32, offset + OPERATION_WORD);
    }

    /** Writes the first word. */
    public AtomicRequest operationWord(int value) {
        segment.set(U32, offset + OPERATION_WORD, value);
        return this;
    }

    /** Request Identifier: chosen by the requester, repeated by the response. */
    public int requestIdentifier() {
        return segment.get(U32, offset + REQUEST_IDENTIFIER);
    }

    /** Writes Request Identifier. */
    public AtomicRequest requestIdentifier(int value) {
        segment.set(U32, offset + REQUEST_IDENTIFIER, value);
        return this;
    }

    /** Remote STag: key of the buffer to change. */
    public int remoteStag() {
        return segment.get(U32, offset + REMOTE_STAG);
    }

    /** Writes Remote STag. */
    public AtomicRequest remoteStag(int value) {
        segment.set(U32, offset + REMOTE_STAG, value);
        return this;
    }

    /** Remote Tagged Offset: bytes, unsigned 64 bits; must name an address aligned to 8. */
    public long remoteTo() {
        return segment.get(U64, offset + REMOTE_TO);
    }

    /** Writes Remote Tagged Offset. */
    public AtomicRequest remoteTo(long value) {
        segment.set(U64, offset + REMOTE_TO, value);
        return this;
    }

    /** Add or Swap Data: the value to add, or to store. */
    public long addOrSwapData() {
        return segment.get(U64, offset + ADD_OR_SWAP_DATA);
    }

    /** Writes Add or Swap Data. */
    public AtomicRequest addOrSwapData(long value) {
        segment.set(U64, offset + ADD_OR_SWAP_DATA, value);
        return this;
    }

    /** Add or Swap Mask: field boundaries of FetchAdd, or the bits CmpSwap stores. */
    public long addOrSwapMask() {
        return segment.get(U64, offset + ADD_OR_SWAP_MASK);
    }

    /** Writes Add or Swap Mask. */
    public AtomicRequest addOrSwapMask(long value) {
        segment.set(U64, offset + ADD_OR_SWAP_MASK, value);
        return this;
    }

    /** Compare Data: what CmpSwap compares with; zero for FetchAdd. */
    public long compareData() {
        return segment.get(U64, offset + COMPARE_DATA);
    }

    /** Writes Compare Data. */
    public AtomicRequest compareData(long value) {
        segment.set(U64, offset + COMPARE_DATA, value);
        return this;
    }

    /** Compare Mask: the bits CmpSwap compares; all ones for FetchAdd. */
    public long compareMask() {
        return segment.get(U64, offset + COMPARE_MASK);
    }

    /** Writes Compare Mask. */
    public AtomicRequest compareMask(long value) {
        segment.set(U64, offset + COMPARE_MASK, value);
        return this;
    }

    /** AOpCode; {@link AtomicOpcode#UNSUPPORTED} for values without a meaning. Reserved bits are ignored. */
    public AtomicOpcode aOpCode() {
        // RFC 7306 section 5.2.1: the 28 reserved bits are ignored by the receiver.
        return AtomicOpcode.of(operationWord() & 0xf);
    }

    /** Writes AOpCode and clears the reserved bits. */
    public AtomicRequest aOpCode(AtomicOpcode value) {
        return operationWord(value.value());
    }

    /** Appends one line such as {@code FetchAdd id=1 stag=0x00000002 to=0x0000000000000010}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.unsigned(out.append(aOpCode().label()).append(" id="), requestIdentifier());
        Hex.stag(out.append(" stag="), remoteStag());
        Hex.to(out.append(" to="), remoteTo());
        Hex.to(out.append(" data="), addOrSwapData());
        Hex.to(out.append(" mask="), addOrSwapMask());
        if (aOpCode() != AtomicOpcode.FETCH_ADD) {
            Hex.to(out.append(" compare="), compareData());
            Hex.to(out.append(" compareMask="), compareMask());
        }
        return out;
    }
}
