package io.verbena.verbs;

import java.net.InetAddress;
import java.util.List;

/**
 * A port of an RNIC (ibv_port_attr).
 *
 * @param number port number, from 1
 * @param up whether the link is up
 * @param activeMtuBytes maximum payload of a frame
 * @param lid local identifier; 0 if there is none
 * @param lidMaskBits number of low bits of the LID that select a path
 * @param subnetManagerLid LID of the subnet manager; 0 if there is none
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

    /** Copies the lists. */
    public PortAttributes {
        addresses = List.copyOf(addresses);
        pkeys = List.copyOf(pkeys);
    }
}
