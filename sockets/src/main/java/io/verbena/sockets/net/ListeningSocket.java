package io.verbena.sockets.net;

import io.verbena.sockets.nio.UninterruptibleChannels;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is below a {@code java.net.ServerSocket}: a listening channel of Verbena, which accepts RDMA and TCP at one port. The channel binds and
 * listens in one step, so the address is kept until the JDK listens.
 */
class ListeningSocket extends SocketImpl {

    private static final Cleaner CLEANER = Cleaner.create();

    private final VerbenaSelectorProvider provider;
    private final ReentrantLock acceptLock = new ReentrantLock();
    private volatile @Nullable ServerSocketChannel channel;
    private volatile @Nullable InetSocketAddress toBind;
    private volatile boolean closed;
    private volatile int timeoutMs;

    /** Options that sockets of the JDK have and channels do not: kept, without effect for a socket that only accepts. */
    private final Map<SocketOption<?>, Object> kept = new ConcurrentHashMap<>();

    ListeningSocket(VerbenaSelectorProvider provider) {
        this.provider = provider;
    }

    private record Closing(ServerSocketChannel channel) implements Runnable {
        @Override
        public void run() {
            try {
                channel.close();
            } catch (IOException _) {
                return; // no program has the socket
            }
        }
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new IOException("Datagram socket creation not supported");
        }
        if (channel != null) {
            throw new IOException("Already created");
        }
        ServerSocketChannel opened = SocketErrors.call(() -> UninterruptibleChannels.openServer(provider));
        CLEANER.register(this, new Closing(opened));
        channel = opened;
    }

    private ServerSocketChannel opened() throws SocketException {
        ServerSocketChannel of = channel;
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (of == null) {
            throw new SocketException("Socket not created");
        }
        return of;
    }

    @Override
    protected void close() throws IOException {
        closed = true;
        ServerSocketChannel of = channel;
        if (of != null) {
            SocketErrors.run(of::close);
        }
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        opened();
        if (localport != 0) {
            throw new SocketException("Already bound");
        }
        toBind = new InetSocketAddress(host, port);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        ServerSocketChannel of = opened();
        InetSocketAddress local = toBind;
        if (local == null) {
            throw new SocketException("Not bound");
        }
        SocketErrors.run(() -> of.bind(local, backlog));
        address = local.getAddress(); // as stated, although the system may have another form of it
        localport = of.socket().getLocalPort();
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        if (!(into instanceof CarriedSocket accepted)) {
            throw new IOException("The server socket is carried by Verbena, the socket to accept with is a "
                    + into.getClass().getName() + ".");
        }
        int leftMs = Turn.take(acceptLock, timeoutMs, "Accept timed out");
        try {
            ServerSocket of = opened().socket();
            accepted.adopt(SocketErrors.call(() -> {
                of.setSoTimeout(leftMs);
                return of.accept().getChannel();
            }));
        } catch (SocketException e) {
            throw closed ? new SocketException("Socket closed", e) : e;
        } catch (NotYetBoundException e) {
            throw new SocketException("Not bound", e);
        } finally {
            acceptLock.unlock();
        }
    }

    // Options.

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        ServerSocketChannel of = channel;
        Set<SocketOption<?>> options = new HashSet<>(of == null ? Set.of() : of.supportedOptions());
        options.add(StandardSocketOptions.IP_TOS);
        return options;
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        NumberedOptions.check(supportedOptions(), name, value);
        ServerSocketChannel of = opened();
        if (name.equals(StandardSocketOptions.IP_TOS)) {
            kept.put(name, value);
        } else {
            SocketErrors.call(() -> of.setOption(name, value));
        }
    }

    @Override
    @SuppressWarnings("unchecked") // a value has the type of its option
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        NumberedOptions.check(supportedOptions(), name);
        ServerSocketChannel of = opened();
        return name.equals(StandardSocketOptions.IP_TOS)
                ? (T) kept.getOrDefault(name, 0)
                : SocketErrors.call(() -> of.getOption(name));
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        opened();
        if (id == SO_TIMEOUT) {
            timeoutMs = (Integer) value;
        } else {
            SocketErrors.option(() -> {
                setNamed(NumberedOptions.named(id), value);
                return true;
            });
        }
    }

    private <T> void setNamed(SocketOption<T> name, Object value) throws IOException {
        setOption(name, name.type().cast(value));
    }

    @Override
    public Object getOption(int id) throws SocketException {
        opened();
        return id == SO_TIMEOUT ? timeoutMs : SocketErrors.option(() -> getOption(NumberedOptions.named(id)));
    }

    // A server socket has no stream.

    @Override
    protected void connect(String host, int port) throws IOException {
        throw noStream();
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        throw noStream();
    }

    @Override
    protected void connect(SocketAddress remote, int timeout) throws IOException {
        throw noStream();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        throw noStream();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        throw noStream();
    }

    @Override
    protected int available() throws IOException {
        throw noStream();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw noStream();
    }

    private static SocketException noStream() {
        return new SocketException("The socket is that of a server.");
    }
}
