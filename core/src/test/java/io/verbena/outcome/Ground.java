package io.verbena.outcome;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;

/** Where a table runs: it opens RNICs of one provider, which reach each other at one address. */
public interface Ground {

    /** A new RNIC. */
    Rnic open();

    /** Where an RNIC listens, and which the others reach. */
    default InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    /** The options with which both sides connect, when a case asks for these. */
    default ConnectionOptions connecting(ConnectionOptions asked) {
        return asked;
    }
}
