package io.verbena.tcp.connection;

/**
 * What a listener may send to an address that has not shown yet that it receives there. The source of a SYN can be forged, and
 * repeated answers to it would reach a host that did not ask for them. The answers have at most three times the bytes of the SYNs that came from there,
 * as in QUIC (RFC 9000 section 8.1). A peer that does not receive an answer repeats its SYN, and each SYN permits more.
 */
final class UnverifiedAddress {

    private static final int MOST_PER_BYTE = 3;

    private final int ipBytes;
    private long permittedBytes;

    /** @param ipBytes what each segment has on its way in addition to itself */
    UnverifiedAddress(int ipBytes) {
        this.ipBytes = ipBytes;
    }

    /** A segment of this length came from the address. */
    void heard(int segmentBytes) {
        permittedBytes += (long) MOST_PER_BYTE * (ipBytes + segmentBytes);
    }

    /** Whether a segment of this length may be sent. */
    boolean permits(int segmentBytes) {
        return ipBytes + segmentBytes <= permittedBytes;
    }

    /** A segment of this length was sent. */
    void sent(int segmentBytes) {
        permittedBytes -= ipBytes + segmentBytes;
    }
}
