package io.verbena.examples;

import io.verbena.verbs.*;
import java.net.InetSocketAddress;
import java.time.Duration;

class HelloClient { // writes a greeting straight into the server's memory, then tells the server
    public static void main(String... args) throws Exception {
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain pd = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(16);
            QueuePair qp = pd.createQueuePair(cq);
            MemoryRegion greeting = pd.allocate(64);
            greeting.segment().setString(0, "Hello from the client's memory!");
            Connection server = rnic.connect(qp, new InetSocketAddress(args[0], Integer.getInteger("port", 7175)));
            RemoteRegion theirs = RemoteRegion.fromBytes(server.privateData());
            qp.postWrite(1, greeting, 0, 64, theirs, 0, WrFlags.UNSIGNALLED);
            qp.postSend(2, greeting, 0, 0, WrFlags.SIGNALLED); // empty: only says that the Write is there
            CompletionCursor sent = cq.take(Duration.ofSeconds(5));
            System.out.println(sent.reason());
            server.close();
            System.exit(sent.ok() ? 0 : 1);
        }
    }
}
