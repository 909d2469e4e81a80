package io.verbena.wire.ib;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC of a packet with a Local Route Header. It covers all fields that switches and routers do not change:
 *
 * <pre>
 *   without GRH   | LRH, VL masked | BTH, byte 4 masked .. payload and padding | ICRC
 *   with GRH      | LRH masked | GRH, TClass, flow label and HopLmt masked | BTH, byte 4 masked .. | ICRC
 * </pre>
 *
 * Masked fields are replaced by ones. The sum is the CRC-32 of Ethernet, least significant byte first on the wire, as in {@link
 * Icrc}, which computes the one of RoCEv2. Belongs to one engine. Source: InfiniBand architecture specification, volume 1, section
 * 7.8.1.
 */
public final class SubnetIcrc {

    private static final int CLASS_AND_FLOW_ONES = 0x0fff_ffff;
    private static final int HOP_LIMIT = 7;
    private static final int BTH_MASKED = 4;
    private static final byte ONES = (byte) 0xff;

    private final CRC32 crc = new CRC32();
    private final byte[] masked = new byte[Lrh.LENGTH + Grh.LENGTH + Bth.LENGTH];
    private final ByteBuffer fields = ByteBuffer.wrap(masked);

    /**
     * Computes the sum of a packet.
     *
     * @param packet contains the packet
     * @param offset offset of the LRH
     * @param lengthBytes from the LRH to the end of the padding, at least the headers
     * @param global whether a GRH follows the LRH
     * @return the sum in the byte order of the wire, least significant byte first
     */
    public int compute(ByteBuffer packet, int offset, int lengthBytes, boolean global) {
        int headers = Lrh.LENGTH + (global ? Grh.LENGTH : 0) + Bth.LENGTH;
        packet.get(offset, masked, 0, headers);
        if (global) {
            fields.putLong(0, -1L);
            fields.putInt(Lrh.LENGTH, fields.getInt(Lrh.LENGTH) | CLASS_AND_FLOW_ONES);
            masked[Lrh.LENGTH + HOP_LIMIT] = ONES;
        } else {
            masked[0] |= (byte) 0xf0;
        }
        masked[headers - Bth.LENGTH + BTH_MASKED] = ONES;
        crc.reset();
        crc.update(masked, 0, headers);
        crc.update(packet.limit(offset + lengthBytes).position(offset + headers));
        return (int) crc.getValue();
    }
}
