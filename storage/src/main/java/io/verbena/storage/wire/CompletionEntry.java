package io.verbena.storage.wire;

import java.util.HexFormat;

/**
 * A completion queue entry (CQE): a response capsule.
 *
 * <pre>
 *   0  result (8)
 *   8  SQHD | SQID
 *  12  CID  | status &lt;&lt; 1
 * </pre>
 */
public final class CompletionEntry extends Structure<CompletionEntry> {
    /** Length in bytes. */
    public static final int LENGTH = 16;

    @Override
    CompletionEntry self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The result of the command. */
    public long result() {
        return u64(0);
    }

    /** Writes {@link #result()}. */
    public CompletionEntry result(long value) {
        return u64(0, value);
    }

    /** SQHD: head of the submission queue. */
    public int submissionHead() {
        return u16(8);
    }

    /** Writes {@link #submissionHead()}. */
    public CompletionEntry submissionHead(int value) {
        return u16(8, value);
    }

    /** SQID. */
    public int submissionQueue() {
        return u16(10);
    }

    /** Writes {@link #submissionQueue()}. */
    public CompletionEntry submissionQueue(int value) {
        return u16(10, value);
    }

    /** CID of the command. */
    public int commandId() {
        return u16(12);
    }

    /** Writes {@link #commandId()}. */
    public CompletionEntry commandId(int value) {
        return u16(12, value);
    }

    /** The status with the phase bit, which is always 0. */
    public int statusField() {
        return u16(14);
    }

    /** Writes {@link #statusField()}. */
    public CompletionEntry statusField(int value) {
        return u16(14, value);
    }

    /** Zeroes the structure. */
    public CompletionEntry clear() {
        return zero(LENGTH);
    }

    /** The 15-bit status. */
    public int status() {
        return statusField() >>> 1;
    }

    /** Writes {@link #status()}. */
    public CompletionEntry status(int value) {
        return statusField(value << 1);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        HexFormat hex = HexFormat.of();
        out.append("CQE cid=0x").append(hex.toHexDigits((short) commandId()));
        out.append(" status=0x").append(hex.toHexDigits((short) status()));
        return out.append(" result=0x")
                .append(hex.toHexDigits(result()))
                .append(" sqhd=")
                .append(submissionHead());
    }
}
