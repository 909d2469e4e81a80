package io.verbena.verbs;

import java.net.InetAddress;
import java.util.Optional;

/**
 * What an address handle is made of (ibv_ah_attr).
 *
 * @param address IP address or GID of the destination; empty inside one subnet
 * @param sourceAddress which of the port's addresses is the source; empty for the first
 * @param lid local identifier of the destination, 0 over UDP
 * @param serviceLevel service level, 0 to 15
 * @param sourcePathBits which of our LIDs is the source
 * @param port our port, from 1
 * @param trafficClass traffic class of the global header
 * @param flowLabel flow label of the global header, 20 bits
 * @param hopLimit hop limit of the global header
 */
public record AddressHandleAttributes(
        Optional<InetAddress> address,
        Optional<InetAddress> sourceAddress,
        int lid,
        int serviceLevel,
        int sourcePathBits,
        int port,
        int trafficClass,
        int flowLabel,
        int hopLimit) {

    /** By IP address, through the first port. */
    public static AddressHandleAttributes to(InetAddress destination) {
        return new AddressHandleAttributes(Optional.of(destination), Optional.empty(), 0, 0, 0, 1, 0, 0, 64);
    }

    /** By LID within the subnet, through a port. */
    public static AddressHandleAttributes to(int lid, int serviceLevel, int port) {
        return new AddressHandleAttributes(Optional.empty(), Optional.empty(), lid, serviceLevel, 0, port, 0, 0, 0);
    }
}
