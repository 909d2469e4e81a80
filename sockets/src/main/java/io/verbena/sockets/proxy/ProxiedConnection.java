package io.verbena.sockets.proxy;

import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client and its connection to the target.
 *
 * <p>A direction that ends is shut down at the other end, and the connection is closed when both have ended. If an end is reset, so is the
 * other. If an end takes no more bytes, what it has sent before is still carried, and then both are reset: TCP reports its reset once,
 * and a read after a write that has failed may see an orderly end.
 */
final class ProxiedConnection {

    private final SocketChannel client;
    private final InetAddress address;
    private final SocketChannel target;
    private final Flow toTarget;
    private final Flow toClient;
    private @Nullable SelectionKey clientKey;
    private @Nullable SelectionKey targetKey;

    /**
     * A connection that {@link #begin} begins.
     *
     * @param address that of the client
     */
    ProxiedConnection(
            SocketChannel client,
            InetAddress address,
            SocketChannel target,
            WaitingBuffers buffers,
            Counters counters) {
        this.client = client;
        this.address = address;
        this.target = target;
        toTarget = new Flow(client, target, buffers, counters.bytesToTarget);
        toClient = new Flow(target, client, buffers, counters.bytesToClients);
    }

    InetAddress address() {
        return address;
    }

    /** Whether an end is open. */
    boolean open() {
        return client.isOpen() || target.isOpen();
    }

    /** Whether both ends are open. */
    boolean whole() {
        return client.isOpen() && target.isOpen();
    }

    /** Begins to carry bytes. */
    void begin(Selector selector, Optional<Duration> keepAlive) throws IOException {
        if (keepAlive.isPresent()) {
            KeepAlive.of(client, keepAlive.get());
            KeepAlive.of(target, keepAlive.get());
        }
        target.setOption(StandardSocketOptions.TCP_NODELAY, true);
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        targetKey = target.register(selector, SelectionKey.OP_READ, this);
        clientKey = client.register(selector, SelectionKey.OP_READ, this);
    }

    /**
     * Moves bytes in the directions for which a channel is ready, and ends what has ended.
     *
     * @throws IOException if an end has reset its connection
     */
    void advance(SelectionKey key) throws IOException {
        boolean ofClient = key == clientKey;
        Flow reading = ofClient ? toTarget : toClient;
        Flow writing = ofClient ? toClient : toTarget;
        if (key.isReadable()) {
            reading.advance(!writing.broken());
        }
        if (key.isWritable()) {
            writing.advance(!reading.broken());
        }
        if (toTarget.done() && toClient.done() || !whole()) {
            end();
        } else {
            interest(clientKey, toTarget, toClient);
            interest(targetKey, toClient, toTarget);
        }
    }

    private static void interest(@Nullable SelectionKey key, Flow reading, Flow writing) {
        if (key != null && key.isValid()) {
            int ops = (reading.wantsRead() ? SelectionKey.OP_READ : 0)
                    | (writing.wantsWrite() ? SelectionKey.OP_WRITE : 0);
            if (key.interestOps() != ops) {
                key.interestOps(ops);
            }
        }
    }

    /** Whether the peer at an end for RDMA was found to use TCP; nothing while that is not decided. */
    Optional<Boolean> plain(ProxyAddress listen, ProxyAddress to) {
        SocketTransport ofClient = listen.rdma() ? VerbenaSelectorProvider.transport(client) : SocketTransport.IWARP;
        SocketTransport ofTarget = to.rdma() ? VerbenaSelectorProvider.transport(target) : SocketTransport.IWARP;
        return ofClient == SocketTransport.UNDECIDED
                ? Optional.empty()
                : Optional.of(ofClient == SocketTransport.TCP || ofTarget == SocketTransport.TCP);
    }

    private void end() {
        if (toTarget.broken() || toClient.broken()) {
            reset();
        } else {
            close();
        }
    }

    /** Ends both connections after what was written. */
    private void close() {
        release();
        closeQuietly(client);
        closeQuietly(target);
    }

    /** Ends both connections so that neither peer can take what it has received for everything. */
    void reset() {
        release();
        reset(client);
        reset(target);
    }

    private void release() {
        toTarget.release();
        toClient.release();
    }

    static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException _) {
            // the channel is closed or was reset by the peer
        }
        closeQuietly(channel);
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // the channel is closed whatever the system reports
        }
    }
}
