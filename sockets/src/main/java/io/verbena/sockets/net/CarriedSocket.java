package io.verbena.sockets.net;

import io.verbena.sockets.nio.UninterruptibleChannels;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is below a {@code java.net.Socket}: a channel of Verbena, which is opened when the JDK first needs it. The states and messages are those
 * of the implementation of the JDK.
 */
class CarriedSocket extends SocketImpl {

    /** A socket that a program forgets is closed when the garbage collector finds it, as those of the JDK. */
    private static final Cleaner CLEANER = Cleaner.create();

    private final VerbenaSelectorProvider provider;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private volatile @Nullable Socket socket;
    private volatile boolean closed;
    private volatile int timeoutMs;

    // Of the thread that reads.
    private boolean ended;
    private boolean reset;

    /** What the JDK's socket is at the moment. */
    CarriedSocket(VerbenaSelectorProvider provider) {
        this.provider = provider;
    }

    private record Closing(SocketChannel channel) implements Runnable {
        @Override
        public void run() {
            try {
                channel.close();
            } catch (IOException _) {
                return; // no program has the socket
            }
        }
    }

    // Opening and closing.

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new IOException("Datagram socket creation not supported");
        }
        if (socket != null) {
            throw new IOException("Already created");
        }
        open(SocketErrors.call(() -> UninterruptibleChannels.open(provider)));
    }

    private void open(SocketChannel channel) {
        CLEANER.register(this, new Closing(channel));
        socket = channel.socket();
    }

    /** Becomes the socket of a connection that a server has accepted. */
    void adopt(SocketChannel channel) {
        open(channel);
        Socket accepted = channel.socket();
        address = accepted.getInetAddress();
        port = accepted.getPort();
        localport = accepted.getLocalPort();
    }

    private Socket opened() throws SocketException {
        Socket of = socket;
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (of == null) {
            throw new SocketException("Socket not created");
        }
        return of;
    }

    private Socket connected() throws SocketException {
        Socket of = opened();
        if (!of.isConnected() && !of.isClosed()) {
            throw new SocketException("Not connected");
        }
        return of;
    }

    @Override
    protected void close() throws IOException {
        closed = true;
        Socket of = socket;
        if (of != null) {
            SocketErrors.run(of::close);
        }
    }

    // Connecting.

    @Override
    protected void connect(String host, int to) throws IOException {
        connect(new InetSocketAddress(host, to), 0);
    }

    @Override
    protected void connect(InetAddress host, int to) throws IOException {
        connect(new InetSocketAddress(host, to), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int timeout) throws IOException {
        if (!(remote instanceof InetSocketAddress inet)) {
            throw new IOException("Unsupported address type");
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException(inet.getHostName());
        }
        InetSocketAddress target = inet.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLocalHost(), inet.getPort())
                : inet;
        try {
            Socket of = opened();
            address = target.getAddress();
            port = target.getPort();
            SocketErrors.run(() -> of.connect(target, timeout));
            localport = of.getLocalPort();
        } catch (IOException e) {
            close();
            throw Thread.currentThread().isVirtual() && Thread.currentThread().isInterrupted()
                    ? new SocketException("Closed by interrupt", e)
                    : e;
        }
    }

    @Override
    protected void bind(InetAddress host, int to) throws IOException {
        Socket of = opened();
        if (localport != 0) {
            throw new SocketException("Already bound");
        }
        SocketErrors.run(() -> of.bind(new InetSocketAddress(host, to)));
        address = host;
        localport = of.getLocalPort();
    }

    @Override
    protected void listen(int backlog) throws IOException {
        throw new SocketException("The socket is not that of a server.");
    }

    @Override
    protected void accept(SocketImpl into) throws IOException {
        throw new SocketException("The socket is not that of a server.");
    }

    // Streams.

    @Override
    protected InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                Objects.checkFromIndexSize(offset, length, bytes.length);
                return length == 0 ? 0 : readInTurn(bytes, offset, length);
            }

            @Override
            public int available() throws IOException {
                return CarriedSocket.this.available();
            }

            @Override
            public void close() throws IOException {
                CarriedSocket.this.close();
            }
        };
    }

    /** One thread reads at a time; the time limit counts for those that wait for it, too. */
    private int readInTurn(byte[] bytes, int offset, int length) throws IOException {
        int leftMs = Turn.take(readLock, timeoutMs, "Read timed out");
        try {
            if (ended) {
                return -1; // also when the socket is closed
            }
            Socket of = connected();
            if (reset) {
                throw new SocketException("Connection reset");
            }
            int got = SocketErrors.call(() -> {
                of.setSoTimeout(leftMs);
                return read(of, bytes, offset, length);
            });
            ended = got < 0;
            return got;
        } catch (SocketException e) {
            if (closed) {
                throw new SocketException("Socket closed", e);
            }
            reset |= "Connection reset".equals(e.getMessage());
            throw e;
        } finally {
            readLock.unlock();
        }
    }

    /** A socket whose input is shut has no stream any more; a stream from before reads the end. */
    private static int read(Socket of, byte[] bytes, int offset, int length) throws IOException {
        return of.isInputShutdown() ? -1 : of.getInputStream().read(bytes, offset, length);
    }

    @Override
    protected OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                Objects.checkFromIndexSize(offset, length, bytes.length);
                if (length > 0) {
                    writeInTurn(bytes, offset, length);
                }
            }

            @Override
            public void close() throws IOException {
                CarriedSocket.this.close();
            }
        };
    }

    private void writeInTurn(byte[] bytes, int offset, int length) throws IOException {
        writeLock.lock();
        try {
            Socket of = connected();
            if (of.isOutputShutdown()) {
                throw new SocketException("Broken pipe");
            }
            SocketErrors.run(() -> of.getOutputStream().write(bytes, offset, length));
        } catch (SocketException e) {
            throw closed ? new SocketException("Socket closed", e) : e;
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    protected int available() throws IOException {
        Socket of = connected();
        return of.isInputShutdown()
                ? 0
                : SocketErrors.call(() -> of.getInputStream().available());
    }

    @Override
    protected void shutdownInput() throws IOException {
        SocketErrors.run(connected()::shutdownInput);
    }

    @Override
    protected void shutdownOutput() throws IOException {
        SocketErrors.run(connected()::shutdownOutput);
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        Socket of = connected();
        writeLock.lock();
        try {
            SocketErrors.run(() -> of.sendUrgentData(data));
        } finally {
            writeLock.unlock();
        }
    }

    // Options.

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        Socket of = socket;
        return of == null ? Set.of() : NumberedOptions.ofSockets(of.supportedOptions());
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        NumberedOptions.check(supportedOptions(), name, value);
        Socket of = opened();
        SocketErrors.call(() -> of.setOption(name, value));
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        NumberedOptions.check(supportedOptions(), name);
        Socket of = opened();
        return SocketErrors.call(() -> of.getOption(name));
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        Socket of = opened();
        if (id == SO_TIMEOUT) {
            timeoutMs = (Integer) value;
        } else {
            SocketErrors.option(() -> NumberedOptions.set(of, id, value));
        }
    }

    @Override
    public Object getOption(int id) throws SocketException {
        Socket of = opened();
        return id == SO_TIMEOUT ? timeoutMs : SocketErrors.option(() -> NumberedOptions.get(of, id));
    }
}
