package io.verbena.tools;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** One end of a connection that a test drives step by step, to misbehave as it likes. */
public final class Peers implements AutoCloseable {

    static final Duration LONGEST = Duration.ofSeconds(30);

    final Rnic rnic = Rnic.open(RnicOptions.defaults());
    final CompletionQueue cq = rnic.createCompletionQueue(64);
    final ProtectionDomain pd = rnic.allocateProtectionDomain();
    public final QueuePair queuePair = pd.createQueuePair(cq);
    public final MemoryRegion memory = pd.allocate(4096, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE);

    public static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** A connection to a server of the command line. */
    public static Peers connect(int port) throws ConnectionException {
        Peers peer = new Peers();
        for (int slot = 0; slot < 4; slot++) {
            peer.receive();
        }
        peer.rnic.connect(
                peer.queuePair, loopback(port), ConnectionOptions.defaults().withTimeout(LONGEST));
        return peer;
    }

    public Listener listen() throws IOException {
        for (int slot = 0; slot < 4; slot++) {
            receive();
        }
        return rnic.listen(loopback(0));
    }

    public void accept(Listener listener) throws ConnectionException {
        ConnectionOptions options = ConnectionOptions.defaults().withTimeout(LONGEST);
        listener.nextRequest(LONGEST).orElseThrow().accept(queuePair, options);
    }

    void receive() {
        queuePair.postReceive(0, memory, 0, 64);
    }

    public void send(int bytes) {
        queuePair.postSend(0, memory, 64, bytes, WrFlags.SIGNALLED);
    }

    /** The next completion, whatever its status. */
    public CompletionCursor next() throws TimeoutException {
        return cq.take(LONGEST);
    }

    /** Ends the connection gracefully. */
    public void leave() {
        queuePair.connection().orElseThrow().close();
    }

    @Override
    public void close() {
        rnic.close();
    }
}
