package io.verbena.host.link;

import io.verbena.host.system.SystemChannels;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a {@link UnixLink}, and its readiness: a thread waits for it and wakes the engine. A server has one peer at a time; the
 * next one waits until that has closed its connection.
 */
final class UnixPeers {

    /** Before the path of a server. */
    static final String LISTEN = "listen:";

    private final Path path;
    private final Selector selector;
    private final @Nullable ServerSocketChannel server;
    private final @Nullable SelectionKey accepting;
    private final Runnable wake;
    private final AtomicBoolean readable = new AtomicBoolean(true);
    private final AtomicBoolean writable = new AtomicBoolean();
    private volatile @Nullable SelectionKey peer;
    private volatile @Nullable IOException failure;
    private volatile boolean closed;

    /**
     * Connects to a Unix socket, or listens at one.
     *
     * @param device its path, with {@link #LISTEN} before it to listen
     * @param wake wakes the engine
     * @throws IOException with a sentence
     */
    UnixPeers(String device, Runnable wake) throws IOException {
        this.wake = wake;
        boolean listens = device.startsWith(LISTEN);
        path = Path.of(listens ? device.substring(LISTEN.length()) : device);
        selector = SystemChannels.provider().openSelector();
        boolean opened = false;
        try {
            server = listens ? listen() : null;
            accepting = server == null ? null : server.register(selector, SelectionKey.OP_ACCEPT);
            if (server == null) {
                accepted(connect());
            }
            opened = true;
        } finally {
            if (!opened) {
                selector.close();
            }
        }
        Thread thread = new Thread(this::run, "verbena-unix-link");
        thread.setDaemon(true);
        thread.start();
    }

    private ServerSocketChannel listen() throws IOException {
        ServerSocketChannel serverSocketChannel =
                SystemChannels.provider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        try {
            serverSocketChannel.bind(UnixDomainSocketAddress.of(path)).configureBlocking(false);
            return serverSocketChannel;
        } catch (IOException | IllegalArgumentException e) {
            serverSocketChannel.close();
            throw new IOException(
                    "cannot listen at the Unix socket " + path + ": " + e.getMessage()
                            + (Files.exists(path) ? "; remove the file if no program uses it" : ""),
                    e);
        }
    }

    private SocketChannel connect() throws IOException {
        SocketChannel socketChannel = SystemChannels.provider().openSocketChannel(StandardProtocolFamily.UNIX);
        try {
            socketChannel.connect(UnixDomainSocketAddress.of(path));
            return socketChannel;
        } catch (IOException | IllegalArgumentException e) {
            socketChannel.close();
            throw new IOException(
                    "cannot connect to the Unix socket " + path + ": " + e.getMessage()
                            + "; start its server first, such as QEMU with '-netdev stream,server=on', or use "
                            + LISTEN + path,
                    e);
        }
    }

    private void accepted(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        peer = channel.register(selector, SelectionKey.OP_READ);
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(this::onReady);
                Thread.interrupted(); // by a program that interrupts all threads: with the status set, no selection
                // would wait
                if (accepting != null && peer == null && !closed) {
                    accepting.interestOps(SelectionKey.OP_ACCEPT);
                }
            }
        } catch (IOException e) {
            failure = e;
        } catch (ClosedSelectorException | CancelledKeyException e) {
            // closed meanwhile
        } catch (RuntimeException | Error e) {
            failure = new IOException("the thread of the link has failed", e);
        } finally {
            closeAll();
            wake();
        }
    }

    private void onReady(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        try {
            int ready = key.readyOps();
            if ((ready & SelectionKey.OP_ACCEPT) != 0) {
                key.interestOps(0);
                accept();
                return;
            }
            // The engine states again what it waits for.
            key.interestOpsAnd(~ready);
            readable.compareAndSet(false, (ready & SelectionKey.OP_READ) != 0);
            writable.compareAndSet(false, (ready & SelectionKey.OP_WRITE) != 0);
            wake();
        } catch (CancelledKeyException e) {
            wake(); // the engine has closed it meanwhile
        }
    }

    private void accept() {
        ServerSocketChannel from = server;
        try {
            SocketChannel socketChannel = from == null ? null : from.accept();
            if (socketChannel != null) {
                accepted(socketChannel);
                readable.set(true);
                wake();
            }
        } catch (IOException e) {
            failure = e;
            wake();
        }
    }

    private void wake() {
        if (!closed) {
            wake.run();
        }
    }

    String path() {
        return path.toString();
    }

    /** The connection now, or null. */
    @Nullable
    SocketChannel peer() {
        SelectionKey key = peer;
        return key == null ? null : (SocketChannel) key.channel();
    }

    /** Fails if there will be no peer any more. */
    void checkAlive() throws IOException {
        IOException reason = failure;
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
    }

    boolean takeReadable() {
        return readable.getAndSet(false);
    }

    boolean takeWritable() {
        return writable.getAndSet(false);
    }

    void wantReadable() {
        want(SelectionKey.OP_READ);
    }

    void wantWritable() {
        want(SelectionKey.OP_WRITE);
    }

    private void want(int operation) {
        SelectionKey key = peer;
        try {
            if (key != null && (key.interestOps() & operation) == 0) {
                key.interestOpsOr(operation);
                selector.wakeup();
            }
        } catch (CancelledKeyException e) {
            // the connection has ended, which the next call reports
        }
    }

    /** A connection cannot be used any more: a server waits for the next one. In the thread of the engine. */
    void ended(SocketChannel channel, IOException reason) {
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
        if (server == null) {
            failure = reason;
        }
        peer = null;
        readable.set(true); // the next receive reports it
        writable.set(true);
        selector.wakeup();
        wake();
    }

    void close() {
        closed = true;
        selector.wakeup();
    }

    private void closeAll() {
        try {
            SocketChannel channel = peer();
            if (channel != null) {
                channel.close();
            }
            if (server != null) {
                server.close();
                Files.deleteIfExists(path);
            }
            selector.close();
        } catch (IOException e) {
            failure = e;
        }
    }
}
