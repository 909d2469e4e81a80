package io.verbena.storage.subsystem;

/**
 * Where hosts connect, for the discovery log page.
 *
 * @param host the address as text
 * @param port the port
 */
public record TargetAddress(String host, int port) {
    boolean isIpv6() {
        return host.indexOf(':') >= 0;
    }
}
