package io.verbena.wire;

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
 * <p>Source: RFC 7306 section 5.2.1.
 */
public final class AtomicRequest extends Header<AtomicRequest> {
    /** Bytes. */
    public static final int LENGTH = 52;

    private static final int OPERATION_WORD = 0;
    private static final int REQUEST_IDENTIFIER = 4;
    private static final int REMOTE_STAG = 8;
    private static final int REMOTE_TO = 12;
    private static final int ADD_OR_SWAP_DATA = 20;
    private static final int ADD_OR_SWAP_MASK = 28;
    private static final int COMPARE_DATA = 36;
    private static final int COMPARE_MASK = 44;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The first word: 28 reserved bits and AOpCode. */
    public int operationWord() {
        return u32(OPERATION_WORD);
    }

    public AtomicRequest operationWord(int value) {
        return u32(OPERATION_WORD, value);
    }

    /** Request Identifier: chosen by the requester, repeated by the response. */
    public int requestIdentifier() {
        return u32(REQUEST_IDENTIFIER);
    }

    public AtomicRequest requestIdentifier(int value) {
        return u32(REQUEST_IDENTIFIER, value);
    }

    /** Remote STag: key of the buffer to change. */
    public int remoteStag() {
        return u32(REMOTE_STAG);
    }

    public AtomicRequest remoteStag(int value) {
        return u32(REMOTE_STAG, value);
    }

    /** Remote Tagged Offset: bytes, unsigned 64 bits; must name an address aligned to 8. */
    public long remoteTo() {
        return u64(REMOTE_TO);
    }

    public AtomicRequest remoteTo(long value) {
        return u64(REMOTE_TO, value);
    }

    /** Add or Swap Data: the value to add, or to store. */
    public long addOrSwapData() {
        return u64(ADD_OR_SWAP_DATA);
    }

    public AtomicRequest addOrSwapData(long value) {
        return u64(ADD_OR_SWAP_DATA, value);
    }

    /** Add or Swap Mask: field boundaries of FetchAdd, or the bits CmpSwap stores. */
    public long addOrSwapMask() {
        return u64(ADD_OR_SWAP_MASK);
    }

    public AtomicRequest addOrSwapMask(long value) {
        return u64(ADD_OR_SWAP_MASK, value);
    }

    /** Compare Data: what CmpSwap compares with; zero for FetchAdd. */
    public long compareData() {
        return u64(COMPARE_DATA);
    }

    public AtomicRequest compareData(long value) {
        return u64(COMPARE_DATA, value);
    }

    /** Compare Mask: the bits CmpSwap compares; all ones for FetchAdd. */
    public long compareMask() {
        return u64(COMPARE_MASK);
    }

    public AtomicRequest compareMask(long value) {
        return u64(COMPARE_MASK, value);
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
