package io.verbena.bench.connections;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Accepts connections, answers one message on each, and lets the client close them. */
final class RateServer {

    private static final int MESSAGE = 64;

    private final Rnic rnic = Rnic.open(RnicOptions.defaults());
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(1 << 16);
    private final MemoryRegion memory =
            domain.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
    private final Map<Integer, QueuePair> open = new ConcurrentHashMap<>();
    private final BlockingQueue<QueuePair> ended = new LinkedBlockingQueue<>();

    private RateServer() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        RateServer server = new RateServer();
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Listener listener =
                server.rnic.listen(anywhere, ListenOptions.defaults().withBacklog(4096));
        InetSocketAddress at = (InetSocketAddress) listener.localAddress();
        System.out.println(at.getPort() + " " + at.getAddress().getHostAddress());
        Thread.ofPlatform().daemon().name("answers").start(server::answer);
        Thread.ofPlatform().daemon().name("closes").start(server::closeEnded);
        Thread.ofPlatform().daemon().name("accepts").start(() -> server.accept(listener));
        while (System.in.read() >= 0) {}
        server.rnic.close();
    }

    private void accept(Listener listener) {
        while (!listener.closed()) {
            Optional<ConnectionRequest> request = listener.nextRequest(Duration.ofSeconds(1));
            if (request.isEmpty()) {
                continue;
            }
            QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
            open.put(queuePair.number(), queuePair);
            queuePair.postReceive(queuePair.number(), memory, 0, MESSAGE);
            Connection connection = request.get().startAccept(queuePair, ConnectionOptions.defaults());
            connection.onStateChange((which, state) -> {
                if (state.ended()) {
                    ended.add(queuePair);
                }
            });
        }
    }

    private void answer() {
        CompletionCursor cursor = cq.cursor();
        while (true) {
            if (!cursor.next()) {
                cq.await(Duration.ofSeconds(1));
                continue;
            }
            if (cursor.ok() && cursor.opcode() == CompletionOpcode.RECEIVE) {
                QueuePair queuePair = open.get((int) cursor.wrId());
                if (queuePair != null) {
                    queuePair.postReceive(cursor.wrId(), memory, 0, MESSAGE);
                    queuePair.postSend(0, memory, 0, MESSAGE, WrFlags.UNSIGNALLED);
                }
            }
        }
    }

    private void closeEnded() {
        try {
            while (true) {
                QueuePair queuePair = ended.take();
                open.remove(queuePair.number());
                queuePair.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
