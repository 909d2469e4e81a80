package io.verbena.rnic.ib.terms;

import io.verbena.wire.Header;

/**
 * What one side of a connection tells the other over a stream, so that packets can carry its messages.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |   MTU code    |               Queue pair number               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |  Extensions   |             First PSN that is expected        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                  Address of the packet port                   |
 *  |                          (16 bytes)                           |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class CarriageOffer extends Header<CarriageOffer> {

    /** Bytes. */
    public static final int LENGTH = 24;

    private static final int MOST_MTU_CODE = 5;

    /** Whether bytes of a peer can be an offer. */
    public static boolean fits(long available) {
        return available == LENGTH;
    }

    /** Whether the fields are possible. */
    public boolean valid() {
        return mtuCode() >= 1 && mtuCode() <= MOST_MTU_CODE && queuePair() > 1;
    }

    /** 1 for 256 bytes to 5 for 4096. */
    public int mtuCode() {
        return u8(0);
    }

    public CarriageOffer mtuCode(int value) {
        return u8(0, value);
    }

    public int queuePair() {
        return u24(1);
    }

    public CarriageOffer queuePair(int value) {
        return u24(1, value);
    }

    /** As in {@link PaddedData}. */
    public int extensions() {
        return u8(4);
    }

    public CarriageOffer extensions(int value) {
        return u8(4, value);
    }

    public int firstPsn() {
        return u24(5);
    }

    public CarriageOffer firstPsn(int value) {
        return u24(5, value);
    }

    public long addressHigh() {
        return u64(8);
    }

    public long addressLow() {
        return u64(16);
    }

    public CarriageOffer address(long high, long low) {
        return u64(8, high).u64(16, low);
    }

    /** Appends one line such as {@code qp=4098 psn=77 mtu=3}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("qp=")
                .append(queuePair())
                .append(" psn=")
                .append(firstPsn())
                .append(" mtu=")
                .append(mtuCode());
    }
}
