package io.verbena.verbs;

import java.util.List;

/**
 * The device of an RNIC.
 *
 * @param name device name; empty if the provider has only one device
 * @param guid globally unique identifier
 * @param version version of the firmware or software
 * @param ports ports of the device
 * @param maxReadScatter maximum number of elements in the scatter list of a Read
 * @param maxRegionBytes maximum size of a memory region
 * @param maxProtectionDomains maximum number of protection domains
 * @param maxWindows maximum number of memory windows
 * @param maxAddressHandles maximum number of address handles
 */
public record DeviceAttributes(
        String name,
        long guid,
        String version,
        List<PortAttributes> ports,
        int maxReadScatter,
        long maxRegionBytes,
        int maxProtectionDomains,
        int maxWindows,
        int maxAddressHandles) {

    /** Copies the list. */
    public DeviceAttributes {
        ports = List.copyOf(ports);
    }
}
