package io.verbena.storage.client;

import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ProtectionDomain;
import java.net.SocketAddress;

/**
 * How a target is reached.
 *
 * @param domain domain of the queue pairs and of the memory
 * @param address address of the target
 * @param keys how the target gets access to memory
 */
record TargetPath(ProtectionDomain domain, SocketAddress address, KeyUse keys, ConnectionOptions connection) {

    /** The address of the server, as a user writes it. */
    String server() {
        return AddressText.ofIp(address);
    }
}
