package io.verbena.survival;

import io.verbena.wire.Header;

/**
 * The first bytes of a message of the resume exchange. {@code Count} entries of {@link ResumeResult} and a code of 16
 * bytes over everything before it follow.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |             Magic             |    Version    |     Type      |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |     Side      |     Count     |            Length             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                     Id of the association                     |
 *  |                          (16 bytes)                           |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                        Epoch (8 bytes)                        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                      Completed (8 bytes)                      |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                      Executed (8 bytes)                       |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class ResumeHeader extends Header<ResumeHeader> {
    /** Bytes. */
    public static final int LENGTH = 48;

    /** The value of {@link #magic}. */
    public static final int MAGIC = 0x5652;

    /** The value of {@link #version}. */
    public static final int VERSION = 1;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    public int magic() {
        return u16(0);
    }

    public ResumeHeader magic(int value) {
        return u16(0, value);
    }

    public int version() {
        return u8(2);
    }

    public ResumeHeader version(int value) {
        return u8(2, value);
    }

    /** The number of a {@link ResumeType}. */
    public int type() {
        return u8(3);
    }

    public ResumeHeader type(int value) {
        return u8(3, value);
    }

    /** 0 or 1. */
    public int side() {
        return u8(4);
    }

    public ResumeHeader side(int value) {
        return u8(4, value);
    }

    /** Number of results. */
    public int count() {
        return u8(5);
    }

    public ResumeHeader count(int value) {
        return u8(5, value);
    }

    /** Bytes of the message, with results and code. */
    public int length() {
        return u16(6);
    }

    public ResumeHeader length(int value) {
        return u16(6, value);
    }

    public AssociationId id() {
        return new AssociationId(u64(8), u64(16));
    }

    public ResumeHeader id(AssociationId value) {
        return u64(8, value.high()).u64(16, value.low());
    }

    public long epoch() {
        return u64(24);
    }

    public ResumeHeader epoch(long value) {
        return u64(24, value);
    }

    public long completed() {
        return u64(32);
    }

    public ResumeHeader completed(long value) {
        return u64(32, value);
    }

    public long executed() {
        return u64(40);
    }

    public ResumeHeader executed(long value) {
        return u64(40, value);
    }

    /** Appends one line such as {@code type=1 side=0 epoch=2 completed=7 executed=9 results=0}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("type=")
                .append(type())
                .append(" side=")
                .append(side())
                .append(" epoch=")
                .append(epoch())
                .append(" completed=")
                .append(completed())
                .append(" executed=")
                .append(executed())
                .append(" results=")
                .append(count());
    }
}
