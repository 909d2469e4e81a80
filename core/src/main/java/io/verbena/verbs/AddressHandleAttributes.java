package io.verbena.verbs;

import java.net.InetAddress;
import java.util.Optional;

/**
 * Attributes of an address handle (ibv_ah_attr).
 *
 * @param address IP address or GID of the destination; empty inside one subnet
 * @param sourceAddress source address, one of the addresses of the port; empty for the first
 * @param lid local identifier of the destination, 0 over UDP
 * @param serviceLevel service level, 0 to 15
 * @param sourcePathBits low bits of the source LID, for a port with several LIDs
 * @param port number of the local port, from 1
 * @param trafficClass traffic class of the global routing header
 * @param flowLabel flow label of the global routing header, 20 bits
 * @param hopLimit hop limit of the global routing header
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

    /** A destination by IP address, through the first port, with a hop limit of 64. */
    public static AddressHandleAttributes to(InetAddress destination) {
        return new AddressHandleAttributes(Optional.of(destination), Optional.empty(), 0, 0, 0, 1, 0, 0, 64);
    }

    /** A destination by LID within the subnet, through the given port. */
    public static AddressHandleAttributes to(int lid, int serviceLevel, int port) {
        return new AddressHandleAttributes(Optional.empty(), Optional.empty(), lid, serviceLevel, 0, port, 0, 0, 0);
    }

    /** From this address of the port. */
    public AddressHandleAttributes withSourceAddress(InetAddress value) {
        return new AddressHandleAttributes(
                address,
                Optional.of(value),
                lid,
                serviceLevel,
                sourcePathBits,
                port,
                trafficClass,
                flowLabel,
                hopLimit);
    }

    /** With this traffic class. */
    public AddressHandleAttributes withTrafficClass(int value) {
        return new AddressHandleAttributes(
                address, sourceAddress, lid, serviceLevel, sourcePathBits, port, value, flowLabel, hopLimit);
    }

    public AddressHandleAttributes withServiceLevel(int value) {
        return new AddressHandleAttributes(
                address, sourceAddress, lid, value, sourcePathBits, port, trafficClass, flowLabel, hopLimit);
    }
}
