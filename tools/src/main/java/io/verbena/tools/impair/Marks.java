package io.verbena.tools.impair;

import io.verbena.base.PacketPath;

/** Marks of congestion, as a router sets them (RFC 3168 section 5). The ICRC does not cover these bits. */
final class Marks {

    private Marks() {}

    /** Marks an ECN-capable packet "congestion experienced"; false if its sender does not support ECN. */
    static boolean mark(Packet packet) {
        int before = packet.trafficClass();
        if (packet.shape().version() == 0 || PacketPath.ecn(before) == PacketPath.NOT_ECT) {
            return false;
        }
        packet.trafficClass(before | PacketPath.CONGESTION_EXPERIENCED);
        Checksums.network(packet);
        return true;
    }
}
