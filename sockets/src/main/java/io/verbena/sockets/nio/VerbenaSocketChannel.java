package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A socket channel whose {@link Carrier} is decided when it is connected or accepted. Until then a channel of the JDK has
 * its options and its local address.
 *
 * <p>Over 500 lines: a channel is one class for the JDK, and most of it are the methods that {@link SocketChannel} requires.
 */
// Longer than 500 lines: the abstract methods of SocketChannel are one idea, and each is a few lines.
final class VerbenaSocketChannel extends SocketChannel implements Keyed {

    private static final long SWITCH_POLL_NS = 100_000;

    private final Networks networks;
    private final ChannelOptions options;
    private final ChannelKeys keys = new ChannelKeys();
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ByteBuffer[] oneTarget = new ByteBuffer[1];
    private final ByteBuffer[] oneSource = new ByteBuffer[1];
    private final Object stateLock = new Object();

    // Written with the state lock.
    private final SocketChannel jdk;
    private volatile @Nullable Carrier carrier;
    private volatile @Nullable ConnectAttempt attempt;
    private volatile boolean inputShut;
    private volatile boolean outputShut;
    private @Nullable ChannelSocket socket;

    /** The number of the connection; 0 before there is one that the program knows. */
    private volatile long id;

    private volatile boolean accepted;
    private long connectBeganNs;

    VerbenaSocketChannel(VerbenaSelectorProvider provider, Networks networks, SocketChannel jdk) {
        super(provider);
        this.networks = networks;
        this.jdk = jdk;
        options = new ChannelOptions(networks, jdk);
    }

    /** An accepted channel of the JDK, decided or not. */
    static VerbenaSocketChannel accepted(VerbenaSelectorProvider provider, Networks networks, PlainCarrier plain) {
        VerbenaSocketChannel channel = new VerbenaSocketChannel(provider, networks, plain.jdk());
        channel.carrier = plain;
        return channel;
    }

    /** Makes an accepted channel a stream over RDMA. */
    StreamSocket convert(PlainCarrier plain) throws IOException {
        SocketAddress local = plain.localAddress().orElseThrow(ClosedChannelException::new);
        SocketAddress remote = plain.remoteAddress().orElseThrow(ClosedChannelException::new);
        options.onRdma();
        StreamSocket stream = networks.streams().answerConversion(plain.jdk(), plain.request());
        install(new StreamCarrier(stream, local, remote));
        return stream;
    }

    /** The program has accepted the connection. */
    VerbenaSocketChannel onAccepted() {
        trySwitch(); // the request may have been read since the channel was handed over undecided
        accepted = true;
        id = networks.connections().add(this);
        ConnectionEvent.Accept.emit(this);
        return this;
    }

    private void onConnected(Carrier made) {
        install(made);
        id = networks.connections().add(this);
        ConnectionEvent.Connect.emit(this, attempt != null, Duration.ofNanos(System.nanoTime() - connectBeganNs));
    }

    private void install(Carrier made) {
        carrier = made;
        if (made instanceof StreamCarrier stream) {
            stream.socket().onReady(keys::signal);
        }
        keys.signal();
    }

    SocketTransport transport() {
        Carrier now = carrier;
        return now == null ? SocketTransport.NONE : now.transport();
    }

    /** What the connection has done; nothing before there is one. */
    Optional<SocketFigures> figures() {
        Carrier now = carrier;
        long number = id;
        if (now == null || number == 0) {
            return Optional.empty();
        }
        SocketFigures.Route route =
                new SocketFigures.Route(addressText(now::localAddress), addressText(now::remoteAddress), accepted);
        return Optional.of(new SocketFigures(number, route, now.transport(), now.figures()));
    }

    private static String addressText(SocketFailure.Call<Optional<SocketAddress>> address) {
        Optional<SocketAddress> known = SocketFailure.orNull(address);
        return known == null ? "" : known.map(SocketFigures::text).orElse("");
    }

    // Selection.

    @Override
    public ChannelKeys keys() {
        return keys;
    }

    @Override
    public int readyNow() {
        Carrier now = carrier;
        if (now != null) {
            return now.readyOps() | (inputShut && now instanceof PlainCarrier ? SelectionKey.OP_READ : 0);
        }
        ConnectAttempt begun = attempt;
        return begun != null && begun.done() ? SelectionKey.OP_CONNECT : 0;
    }

    @Override
    public Optional<SelectableChannel> innerChannel() {
        Carrier now = carrier;
        if (now instanceof PlainCarrier plain) {
            return plain.decision() == PlainCarrier.Decision.RDMA ? Optional.empty() : Optional.of(plain.jdk());
        }
        return now == null && attempt == null && jdk.isConnectionPending() ? Optional.of(jdk) : Optional.empty();
    }

    @Override
    public int onInnerReady(int ops) {
        if ((ops & SelectionKey.OP_READ) == 0
                || !(carrier instanceof PlainCarrier plain)
                || plain.decision() != PlainCarrier.Decision.UNDECIDED) {
            return ops;
        }
        if (!readLock.tryLock()) {
            return ops & ~SelectionKey.OP_READ; // a thread that reads decides
        }
        try {
            plain.readFirst();
        } catch (IOException _) {
            plain.decidePlain(); // the program reads the error
        } finally {
            readLock.unlock();
        }
        if (plain.decision() == PlainCarrier.Decision.RDMA) {
            keys.signal();
        }
        return plain.decision() == PlainCarrier.Decision.PLAIN ? ops : ops & ~SelectionKey.OP_READ;
    }

    @Override
    public void onInnerForgotten() {
        trySwitch();
    }

    /** Becomes a stream over RDMA as soon as no selector of the JDK has the channel. */
    private void trySwitch() {
        synchronized (stateLock) {
            if (!(carrier instanceof PlainCarrier plain)
                    || plain.decision() != PlainCarrier.Decision.RDMA
                    || plain.jdk().isRegistered()) {
                return;
            }
            try {
                convert(plain);
            } catch (IOException | RuntimeException _) {
                closeQuietly(); // the peer, which has asked for RDMA, sees the end of the connection
            }
        }
    }

    private void closeQuietly() {
        try {
            close();
        } catch (IOException _) {
            keys.signal(); // the channel is closed whatever the JDK reports
        }
    }

    // Connecting.

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        check();
        if (isConnected()) {
            throw new AlreadyBoundException();
        }
        if (attempt != null) {
            throw new ConnectionPendingException();
        }
        jdk.bind(local);
        return this;
    }

    private void check() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isConnected() {
        return carrier != null && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        return carrier == null && isOpen() && (attempt != null || jdk.isConnectionPending());
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return connect(remote, 0);
    }

    /** Connects; {@code timeoutMs} counts for a blocking channel, 0 is none. */
    boolean connect(SocketAddress remote, int timeoutMs) throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                Networks.Approach how = isOpen() ? networks.approach(remote) : Networks.Approach.PLAIN;
                return how == Networks.Approach.PLAIN
                        ? connectPlain(remote, timeoutMs)
                        : connectRdma((InetSocketAddress) remote, how == Networks.Approach.MEMORY, timeoutMs);
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
        }
    }

    private boolean connectPlain(SocketAddress remote, int timeoutMs) throws IOException {
        check();
        if (carrier != null) {
            throw new AlreadyConnectedException();
        }
        boolean connected;
        connectBeganNs = System.nanoTime();
        try {
            if (timeoutMs > 0) {
                jdk.socket().connect(remote, timeoutMs);
                connected = true;
            } else {
                connected = jdk.connect(remote);
            }
        } catch (IOException e) {
            closeWithJdk();
            throw e;
        }
        if (connected) {
            onConnected(PlainCarrier.of(jdk));
        } else {
            keys.signal();
        }
        return connected;
    }

    private boolean connectRdma(InetSocketAddress remote, boolean offers, int timeoutMs) throws IOException {
        if (carrier != null) {
            throw new AlreadyConnectedException();
        }
        if (isConnectionPending()) {
            throw new ConnectionPendingException();
        }
        ConnectAttempt begun = new ConnectAttempt(networks, options, jdk, remote, offers, keys::signal);
        synchronized (stateLock) {
            check();
            attempt = begun;
            connectBeganNs = System.nanoTime();
        }
        Thread.ofVirtual().name("verbena-sockets-connect").start(begun);
        return isBlocking() && finish(begun, timeoutMs);
    }

    private boolean finish(ConnectAttempt begun, int timeoutMs) throws IOException {
        if (isBlocking()) {
            boolean completed = false;
            try {
                begin();
                long timeoutNs = timeoutMs == 0 ? Long.MAX_VALUE : timeoutMs * 1_000_000L;
                completed = isOpen() && begun.await(timeoutNs);
            } finally {
                end(completed);
            }
            if (!completed) {
                close();
                throw new SocketTimeoutException("Connect timed out");
            }
        }
        if (!begun.done()) {
            return false;
        }
        try {
            synchronized (stateLock) {
                Carrier made = begun.result();
                if (made instanceof PlainCarrier plain) {
                    plain.jdk().configureBlocking(isBlocking());
                }
                check();
                onConnected(made);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
        return true;
    }

    @Override
    public boolean finishConnect() throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                check();
                if (carrier != null) {
                    return true;
                }
                ConnectAttempt begun = attempt;
                return begun == null ? finishPlain() : finish(begun, 0);
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
        }
    }

    private boolean finishPlain() throws IOException {
        try {
            if (!jdk.finishConnect()) {
                return false;
            }
        } catch (IOException e) {
            closeWithJdk();
            throw e;
        }
        onConnected(PlainCarrier.of(jdk));
        return true;
    }

    /** An interrupt closes the channel of the JDK in which the thread waits: then this channel is closed too. */
    private void closeWithJdk() throws IOException {
        SocketChannel of = carrier instanceof PlainCarrier plain ? plain.jdk() : jdk;
        if (!of.isOpen()) {
            close();
        }
    }

    // Reading.

    private Carrier connected() throws IOException {
        check();
        Carrier now = carrier;
        if (now == null) {
            throw new NotYetConnectedException();
        }
        return now;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        Objects.requireNonNull(target);
        readLock.lock();
        try {
            oneTarget[0] = target;
            return (int) readLocked(oneTarget, 0, 1);
        } finally {
            clear(oneTarget);
            readLock.unlock();
        }
    }

    @SuppressWarnings("NullAway") // the buffer of the program is not kept
    private static void clear(ByteBuffer[] one) {
        one[0] = null;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        readLock.lock();
        try {
            return readLocked(targets, offset, length);
        } finally {
            readLock.unlock();
        }
    }

    private long readLocked(ByteBuffer[] targets, int offset, int length) throws IOException {
        Carrier now = connected();
        for (int i = offset; i < offset + length; i++) {
            if (targets[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
        }
        if (inputShut) {
            return -1;
        }
        if (remaining(targets, offset, length) == 0) {
            return 0;
        }
        if (now instanceof PlainCarrier plain) {
            try {
                if (!decide(plain)) {
                    return 0;
                }
                now = connected();
                if (now instanceof PlainCarrier) {
                    return now.read(targets, offset, length);
                }
            } catch (IOException e) {
                closeWithJdk();
                throw e;
            }
        }
        return readStream((StreamCarrier) now, targets, offset, length);
    }

    private static long remaining(ByteBuffer[] buffers, int offset, int length) {
        long all = 0;
        for (int i = offset; i < offset + length; i++) {
            all += buffers[i].remaining();
        }
        return all;
    }

    /** Reads first bytes until the carrier is decided. Returns false if that needs bytes that have not arrived. */
    private boolean decide(PlainCarrier plain) throws IOException {
        while (plain.decision() == PlainCarrier.Decision.UNDECIDED) {
            int bytes = plain.readFirst();
            if (bytes == 0) {
                return false;
            }
        }
        if (plain.decision() == PlainCarrier.Decision.RDMA) {
            keys.signal();
            return awaitSwitch(plain);
        }
        return true;
    }

    /** Waits until the channel has left the selectors of the JDK, if it is blocking. */
    private boolean awaitSwitch(PlainCarrier plain) throws IOException {
        trySwitch();
        while (carrier == plain && isBlocking()) {
            check();
            LockSupport.parkNanos(this, SWITCH_POLL_NS);
            trySwitch();
        }
        return carrier != plain;
    }

    /** Waits between begin() and end(). The wait for the engine has an interruptor of its own, which that of the channel replaces. */
    private boolean await(StreamCarrier stream, int ready, long timeoutNs) {
        boolean came = stream.socket().awaitReady(ready, timeoutNs);
        begin(); // closes the channel if the thread was interrupted
        return came;
    }

    private long readStream(StreamCarrier stream, ByteBuffer[] targets, int offset, int length) throws IOException {
        if (!isBlocking()) {
            return stream.read(targets, offset, length);
        }
        long bytes = 0;
        try {
            begin();
            while (isOpen()) {
                bytes = stream.read(targets, offset, length);
                if (bytes != 0) {
                    break;
                }
                await(stream, StreamSocket.READABLE, Long.MAX_VALUE);
            }
        } finally {
            end(bytes != 0);
        }
        return inputShut && bytes == 0 ? -1 : bytes;
    }

    /** Reads as the stream of a socket does, at most for a time; 0 is indefinitely. The channel is blocking. */
    int readWithin(ByteBuffer target, int timeoutMs) throws IOException {
        if (timeoutMs == 0) {
            return read(target);
        }
        readLock.lock();
        try {
            Carrier now = connected();
            if (now instanceof PlainCarrier plain && !inputShut) {
                jdkTimeout(plain, timeoutMs);
                if (!decideWithin(plain, timeoutMs)) {
                    throw new SocketTimeoutException("Read timed out");
                }
                now = connected();
                if (now instanceof PlainCarrier decided) {
                    return decided.readWithin(target);
                }
            }
            if (now instanceof StreamCarrier stream && !inputShut) {
                awaitReadable(stream, timeoutMs);
            }
            return read(target);
        } finally {
            readLock.unlock();
        }
    }

    private static void jdkTimeout(PlainCarrier plain, int timeoutMs) throws IOException {
        plain.jdk().socket().setSoTimeout(timeoutMs);
    }

    private boolean decideWithin(PlainCarrier plain, int timeoutMs) throws IOException {
        long startNs = System.nanoTime();
        while (plain.decision() == PlainCarrier.Decision.UNDECIDED) {
            if (System.nanoTime() - startNs > timeoutMs * 1_000_000L) {
                return false;
            }
            plain.readFirstWithin();
        }
        return plain.decision() == PlainCarrier.Decision.PLAIN || awaitSwitch(plain);
    }

    private void awaitReadable(StreamCarrier stream, int timeoutMs) throws IOException {
        boolean ready = false;
        try {
            begin();
            ready = isOpen() && await(stream, StreamSocket.READABLE, timeoutMs * 1_000_000L);
        } finally {
            end(ready);
        }
        if (!ready) {
            throw new SocketTimeoutException("Read timed out");
        }
    }

    // Writing.

    @Override
    public int write(ByteBuffer source) throws IOException {
        Objects.requireNonNull(source);
        writeLock.lock();
        try {
            oneSource[0] = source;
            return (int) writeLocked(oneSource, 0, 1);
        } finally {
            clear(oneSource);
            writeLock.unlock();
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        writeLock.lock();
        try {
            return writeLocked(sources, offset, length);
        } finally {
            writeLock.unlock();
        }
    }

    private long writeLocked(ByteBuffer[] sources, int offset, int length) throws IOException {
        Carrier now = connected();
        if (outputShut) {
            throw new AsynchronousCloseException(); // as the channels of the JDK
        }
        if (now instanceof PlainCarrier plain) {
            if (plain.decision() == PlainCarrier.Decision.UNDECIDED && remaining(sources, offset, length) == 0) {
                return 0; // a program that writes nothing has not spoken first
            }
            if (plain.decidePlain()) {
                return writePlain(plain, sources, offset, length);
            }
            if (!awaitSwitch(plain)) {
                return 0;
            }
            now = connected();
        }
        return writeStream((StreamCarrier) now, sources, offset, length);
    }

    private long writePlain(PlainCarrier plain, ByteBuffer[] sources, int offset, int length) throws IOException {
        try {
            return plain.write(sources, offset, length);
        } catch (IOException e) {
            closeWithJdk();
            throw e;
        }
    }

    private long writeStream(StreamCarrier stream, ByteBuffer[] sources, int offset, int length) throws IOException {
        if (!isBlocking()) {
            return stream.write(sources, offset, length);
        }
        long left = remaining(sources, offset, length);
        long written = 0;
        try {
            begin();
            while (written < left && isOpen()) {
                written += stream.write(sources, offset, length);
                if (written < left) {
                    await(stream, StreamSocket.WRITABLE, Long.MAX_VALUE);
                }
            }
        } finally {
            end(written > 0 || left == 0);
        }
        return written;
    }

    // The ends.

    @Override
    public SocketChannel shutdownInput() throws IOException {
        Carrier now = connected();
        if (!inputShut) {
            inputShut = true;
            now.shutdownInput();
            keys.signal();
        }
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        Carrier now = connected();
        if (!outputShut) {
            if (now instanceof PlainCarrier plain && !plain.decidePlain() && awaitSwitch(plain)) {
                now = connected();
            }
            outputShut = true;
            now.shutdownOutput();
        }
        return this;
    }

    boolean inputShut() {
        return inputShut;
    }

    boolean outputShut() {
        return outputShut;
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                keys.dropInvalid();
                synchronized (stateLock) {
                    if (carrier instanceof PlainCarrier plain) {
                        plain.jdk().configureBlocking(block);
                    } else if (carrier == null && attempt == null) {
                        jdk.configureBlocking(block);
                    }
                }
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        synchronized (stateLock) {
            ConnectionEvent.Close.emit(this);
            networks.connections().remove(this);
            Carrier now = carrier;
            ConnectAttempt begun = attempt;
            if (now instanceof StreamCarrier stream) {
                stream.close(options.get(StandardSocketOptions.SO_LINGER) == 0);
            } else if (now != null) {
                now.close(false);
            } else if (begun != null) {
                begun.cancel();
            } else {
                jdk.close();
            }
        }
        keys.signal();
    }

    /** Bytes that a socket can read without blocking. */
    int available() throws IOException {
        return switch (connected()) {
            case PlainCarrier plain -> plain.available();
            case StreamCarrier stream -> stream.socket().available();
        };
    }

    void sendUrgentData(int data) throws IOException {
        switch (connected()) {
            case PlainCarrier plain
            when plain.decidePlain() -> plain.jdk().socket().sendUrgentData(data);
            default -> throw new SocketException("A stream over RDMA has no urgent data.");
        }
    }

    void urgentInline(boolean on) throws SocketException {
        jdk.socket().setOOBInline(on);
    }

    boolean urgentInline() throws SocketException {
        return jdk.socket().getOOBInline();
    }

    // What it is.

    @Override
    public synchronized Socket socket() {
        ChannelSocket made = socket;
        if (made == null) {
            made = new ChannelSocket(this);
            socket = made;
        }
        return made;
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        check();
        Carrier now = carrier;
        if (now != null) {
            return now.localAddress().orElse(null);
        }
        ConnectAttempt begun = attempt;
        return begun == null ? jdk.getLocalAddress() : begun.bound().orElse(null);
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        check();
        Carrier now = carrier;
        return now == null ? null : now.remoteAddress().orElse(null);
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        Objects.requireNonNull(name);
        check();
        options.set(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        Objects.requireNonNull(name);
        check();
        return options.get(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    /** One line for people. */
    @Override
    public String toString() {
        Carrier now = carrier;
        return "SocketChannel[" + (now instanceof StreamCarrier stream ? stream.socket() : jdk) + ", " + transport()
                + "]";
    }
}
