package io.verbena.tools.impair;

/**
 * Flips one bit that only a checksum of RDMA covers: the checksums of UDP and TCP are adjusted, because a packet that they reject is only lost.
 */
final class Damage {

    /** The byte of the BTH that the ICRC does not cover. */
    private static final int MASKED = 4;

    private Damage() {}

    /**
     * Flips a bit.
     *
     * @param random chooses the bit
     * @return false if the packet has no content
     */
    static boolean corrupt(Packet packet, long random) {
        PacketShape shape = packet.shape();
        int bytes = shape.contentBytes();
        boolean roce = shape.kind() == PacketShape.Kind.ROCE;
        int choices = roce ? bytes - 1 : bytes;
        if (choices <= 0) {
            return false;
        }
        long drawn = random >>> 1;
        int chosen = (int) (drawn / Byte.SIZE % choices);
        int at = shape.contentAt() + (roce && chosen >= MASKED ? chosen + 1 : chosen);
        byte before = packet.bytes()[at];
        packet.bytes()[at] = (byte) (before ^ 1 << drawn % Byte.SIZE);
        Checksums.transport(packet, at, before);
        return true;
    }
}
