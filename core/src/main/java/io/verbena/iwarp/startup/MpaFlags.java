package io.verbena.iwarp.startup;

/**
 * The flags of an MPA Request or Reply (RFC 5044 section 7.1.1, RFC 6581 section 6).
 *
 * @param markers M: the receiver of the frame must send markers
 * @param crc C: CRCs will be used
 * @param rejected R; without meaning in a request
 * @param enhanced S in revision 2: the frame has the format of RFC 6581, which the Reply to a Request then has too
 * @param reservedBits the four reserved bits as received; 0 when sending. They have no meaning in the RFCs
 */
public record MpaFlags(boolean markers, boolean crc, boolean rejected, boolean enhanced, int reservedBits) {

    /** The reserved bit that Linux's siw calls "GSO wanted". */
    private static final int SIW_GSO_BIT = 0x08;

    /** Whether the sender requests FPDUs larger than a segment, for which Linux's siw uses a reserved bit. */
    public boolean gsoBitSeen() {
        return (reservedBits & SIW_GSO_BIT) != 0;
    }
}
