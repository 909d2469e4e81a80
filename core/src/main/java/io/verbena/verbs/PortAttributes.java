package io.verbena.verbs;

import java.net.InetAddress;
import java.util.List;

/**
 * A port of an RNIC, a link-level engine (ibv_port_attr).
 *
 * @param number from 1
 * @param up whether it carries traffic
 * @param activeMtuBytes largest payload of a frame
 * @param lid local identifier, 0 where there is none
 * @param lidMaskBits how many low bits of the LID tell paths apart
 * @param subnetManagerLid where the subnet manager is, 0 where there is none
 * @param addresses IP addresses or GIDs; their index is the source index of address handles
 * @param pkeys partition keys
 */
public record PortAttributes(
        int number,
        boolean up,
        int activeMtuBytes,
        int lid,
        int lidMaskBits,
        int subnetManagerLid,
        List<InetAddress> addresses,
        List<Integer> pkeys) {

    /** Keeps its own copies of the lists. */
    public PortAttributes {
        addresses = List.copyOf(addresses);
        pkeys = List.copyOf(pkeys);
    }
}
