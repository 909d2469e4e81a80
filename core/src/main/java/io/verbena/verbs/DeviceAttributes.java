package io.verbena.verbs;

import java.util.List;

/**
 * The device behind an RNIC.
 *
 * @param name device name, empty where a provider has just one
 * @param guid globally unique identifier
 * @param version of the firmware or software
 * @param ports its ports
 * @param maxReadScatter most elements in a Read's scatter list
 * @param maxRegionBytes largest memory region
 * @param maxProtectionDomains most protection domains at once
 * @param maxWindows most memory windows at once
 * @param maxAddressHandles most address handles at once
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

    /** Keeps its own copy of the list. */
    public DeviceAttributes {
        ports = List.copyOf(ports);
    }
}
