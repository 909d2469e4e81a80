package io.verbena.proofs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** For programs whose port is set before they start. */
public final class FreePort {

    private FreePort() {}

    /** A port of the loopback interface that is not in use now. */
    public static int find() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
