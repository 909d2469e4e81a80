package io.verbena.examples;

import io.verbena.verbs.*;
import java.net.InetSocketAddress;

class HelloClient { // writes a greeting into the memory of the server, then notifies the server
    public static void main(String... args) throws Exception {
        try (RdmaPeer peer = RdmaPeer.open(64)) {
            peer.memory().segment().setString(0, "Hello from the client's memory!");
            peer.connect(new InetSocketAddress(args[0], Integer.getInteger("port", 7175)));
            peer.write(0, 64, 0); // 64 bytes from offset 0 here to offset 0 there; the server program is not involved
            peer.send(0, 0).join(); // an empty message, which arrives after the Write
            System.out.println("The greeting was sent.");
        }
    }
}
