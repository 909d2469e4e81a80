package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionException;

class HelloServer { // grants one client write access to memory, and prints what the client wrote
    public static void main(String... args) throws Exception {
        try (RdmaPeer peer = RdmaPeer.open(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE)) {
            System.out.println("Listening at " + peer.listen(new InetSocketAddress(Integer.getInteger("port", 7175))));
            var written = peer.receive(0, 0); // completes when the empty message of the client arrives
            peer.accept(Duration.ofMinutes(1));
            written.join();
            byte[] bytes = peer.memory().segment().toArray(ValueLayout.JAVA_BYTE);
            System.out.println(new String(bytes).split("\0", 2)[0].replaceAll("\\P{Print}", "?"));
        } catch (CompletionException e) { // the client failed, so the memory is incomplete
            System.err.println(e.getCause());
            System.exit(1);
        }
    }
}
