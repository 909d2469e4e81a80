import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.WrFlags;
import io.verbena.web.ProcessFigures;
import io.verbena.web.WebOptions;
import io.verbena.web.WebServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * A page of two queue pairs that are connected. For each line of the standard input, one sends 1,000 bytes, writes 70,000 and reads 3,000,
 * and a line is printed; the other one has posted its receives before. Ends when its standard input ends.
 */
public class LivePair {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int RECEIVES = 50;

    private final Rnic rnic = RnicProvider.named("iwarp").open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(256);
    private final CompletionCursor cursor = cq.cursor();
    private final MemoryRegion memory =
            domain.allocate(1 << 20, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
    private final QueuePair active = domain.createQueuePair(QueuePairOptions.of(cq));
    private final QueuePair passive =
            domain.createQueuePair(QueuePairOptions.of(rnic.createCompletionQueue(256)));

    void main() throws Exception {
        connect();
        for (int i = 0; i < RECEIVES; i++) {
            passive.postReceive(i, memory, 0, 4096);
        }
        try (WebServer server = WebServer.open(
                WebOptions.loopback(0), () -> List.of(ProcessFigures.of("pair", List.of(rnic.figures()))))) {
            System.out.println("Live view: " + server.address());
            while (System.in.read() >= 0) {
                active.postSend(1, memory, 0, 1000, WrFlags.SIGNALLED);
                active.postWrite(2, memory, 0, 70_000, memory.remote(), 0, WrFlags.SIGNALLED);
                active.postRead(3, memory, 0, 3000, memory.remote(), 0, WrFlags.SIGNALLED);
                complete();
                System.out.println("done");
            }
        }
    }

    private void connect() throws Exception {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection opening = rnic.startConnect(active, listener.localAddress(), ConnectionOptions.defaults());
            Connection accepted =
                    listener.nextRequest(PATIENCE).orElseThrow().startAccept(passive, ConnectionOptions.defaults());
            opening.awaitEstablished(PATIENCE);
            accepted.awaitEstablished(PATIENCE);
        }
    }

    private void complete() {
        for (int i = 0; i < 3; i++) {
            while (!cursor.next()) {
                cq.await(PATIENCE);
            }
        }
    }
}
