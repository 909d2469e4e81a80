package io.verbena.examples;

import io.verbena.verbs.*;
import java.net.InetSocketAddress;
import java.time.Duration;

class VerbsClient { // writes a greeting into the memory of the server, then notifies the server
    public static void main(String... args) throws Exception {
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain pd = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(16);
            QueuePair qp = pd.createQueuePair(cq);
            MemoryRegion greeting = pd.allocate(64);
            greeting.segment().setString(0, "Hello from the client's memory!");
            Connection server = rnic.connect(qp, new InetSocketAddress(args[0], Integer.getInteger("port", 7175)));
            RemoteRegion remote = RemoteRegion.fromBytes(server.privateData());
            qp.postWrite(1, greeting, 0, 64, remote, 0, WrFlags.UNSIGNALLED);
            qp.postSend(2, greeting, 0, 0, WrFlags.SIGNALLED); // empty: the Write before it is complete
            CompletionCursor sent = cq.take(Duration.ofSeconds(5));
            System.out.println(sent.reason());
            server.close();
            System.exit(sent.ok() ? 0 : 1);
        }
    }
}
