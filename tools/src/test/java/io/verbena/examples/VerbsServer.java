package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;

class VerbsServer { // grants one client write access to memory, and prints what the client wrote
    public static void main(String... args) throws Exception {
        Duration minute = Duration.ofMinutes(1);
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain pd = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(16);
            QueuePair qp = pd.createQueuePair(cq);
            MemoryRegion memory = pd.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
            qp.postReceive(1, memory, 0, 0); // for the empty message that follows the Write
            Listener listener = rnic.listen(new InetSocketAddress(Integer.getInteger("port", 7175)));
            System.out.println("Listening at " + listener.localAddress());
            ConnectionRequest client = listener.nextRequest(minute).orElseThrow();
            client.accept(qp, memory.remote().toBytes()); // sends the client the address and key of the memory
            CompletionCursor received = cq.take(minute);
            if (!received.ok()) { // check the status: if the client failed, the memory is incomplete
                System.err.println(received.reason());
                System.exit(1);
            }
            byte[] bytes = memory.segment().toArray(ValueLayout.JAVA_BYTE); // a copy: the client can still write
            System.out.println(new String(bytes).split("\0", 2)[0].replaceAll("\\P{Print}", "?"));
        }
    }
}
