package io.verbena.examples;

import io.verbena.verbs.*;
import java.net.*;
import java.time.Duration;
import java.util.concurrent.*;

/** A greeting over RoCEv2: real InfiniBand packets over UDP, which Linux's rxe driver understands. Without options the provider is another. */
final class HelloRoce {

    private static final RnicOptions ROCE = RnicOptions.defaults().withProvider("roce");

    private HelloRoce() {}

    public static void main(String... args) throws Exception {
        try (RdmaPeer server = RdmaPeer.open(ROCE, 64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            SocketAddress address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var notified = server.receive(0, 0);
            Future<?> greeting = threads.submit(() -> greet(address));
            server.accept(Duration.ofMinutes(1));
            notified.join();
            greeting.get();
            String text = server.memory().segment().getString(0);
            Check.that(text.equals("Hello over RoCE!"), text);
            System.out.println(text);
        }
    }

    private static Void greet(SocketAddress server) throws Exception {
        try (RdmaPeer client = RdmaPeer.open(ROCE, 64)) {
            client.memory().segment().setString(0, "Hello over RoCE!");
            client.connect(server);
            client.write(0, 64, 0);
            client.send(0, 0).join();
        }
        return null;
    }
}
