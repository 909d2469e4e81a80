package hello;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.RdmaPeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/** Both ends of the greeting in one process. */
public final class Hello {

    private Hello() {}

    public static void main(String... args) throws Exception {
        try (RdmaPeer server = RdmaPeer.open(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                RdmaPeer client = RdmaPeer.open(64)) {
            SocketAddress address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var notified = server.receive(0, 0);
            Thread greeting = Thread.startVirtualThread(() -> greet(client, address));
            server.accept(Duration.ofMinutes(1));
            notified.join();
            greeting.join();
            System.out.println(server.memory().segment().getString(0));
        }
    }

    private static void greet(RdmaPeer client, SocketAddress server) {
        try {
            client.memory().segment().setString(0, "Hello from the client's memory!");
            client.connect(server);
            client.write(0, 64, 0);
            client.send(0, 0).join();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
