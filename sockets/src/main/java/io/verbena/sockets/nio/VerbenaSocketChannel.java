package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Connects, reads and writes, in both blocking modes; {@link CarriedChannel} has the rest of a socket channel, {@link FileTargets} makes it.
 *
 * <p>Over 500 lines: each call distinguishes the same states of the carrier.
 */
non-sealed class VerbenaSocketChannel extends CarriedChannel {

    private final ByteBuffer[] oneTarget = new ByteBuffer[1];
    private final ByteBuffer[] oneSource = new ByteBuffer[1];
    private @Nullable ChannelSocket socket;

    VerbenaSocketChannel(VerbenaSelectorProvider provider, Networks networks, SocketChannel jdk) {
        super(provider, networks, jdk);
    }

    /** An accepted channel of the JDK, decided or not. */
    static VerbenaSocketChannel accepted(VerbenaSelectorProvider provider, Networks networks, PlainCarrier plain) {
        VerbenaSocketChannel channel = FileTargets.channel(provider, networks, plain.jdk());
        channel.carrier = plain;
        plain.belongs(channel.keys::signal, channel.writeLock);
        return channel;
    }

    /** The program has accepted the connection. */
    VerbenaSocketChannel onAccepted() {
        trySwitch(); // the request may have been read since the channel was handed over undecided
        accepted = true;
        id = networks.connections().add(this);
        ConnectionEvent.Accept.emit(this);
        return this;
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
                Networks.Approach approach = isOpen() ? networks.approach(remote) : Networks.Approach.PLAIN;
                return approach == Networks.Approach.PLAIN
                        ? connectPlain(remote, timeoutMs)
                        : connectRdma((InetSocketAddress) remote, approach, timeoutMs);
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

    private boolean connectRdma(InetSocketAddress remote, Networks.Approach approach, int timeoutMs)
            throws IOException {
        if (carrier != null) {
            throw new AlreadyConnectedException();
        }
        if (isConnectionPending()) {
            throw new ConnectionPendingException();
        }
        ConnectAttempt begun = new ConnectAttempt(networks, options, jdk, remote, approach, keys::signal);
        synchronized (stateLock) {
            check();
            attempt = begun;
            connectBeganNs = System.nanoTime();
        }
        begun.begin();
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
                Carrier result = begun.result();
                if (result instanceof PlainCarrier plain) {
                    plain.belongs(keys::signal, writeLock);
                    plain.jdk().configureBlocking(isBlocking());
                }
                check();
                onConnected(result);
                attempt = null; // nothing asks it any more
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

    // Transfers between channels.

    /** Whether {@link #readTo} and {@link #writeFrom} are possible. */
    boolean transfers() {
        return carrier instanceof StreamCarrier && !isBlocking();
    }

    int readTo(WritableByteChannel target) throws IOException {
        readLock.lock();
        try {
            StreamSocket stream = stream();
            return inputShut ? -1 : stream.readTo(target);
        } finally {
            readLock.unlock();
        }
    }

    int writeFrom(ByteSource source, int most) throws IOException {
        writeLock.lock();
        try {
            StreamSocket stream = stream();
            if (outputShut) {
                throw new AsynchronousCloseException();
            }
            return stream.writeFrom(source, most);
        } finally {
            writeLock.unlock();
        }
    }

    private StreamSocket stream() throws IOException {
        return ((StreamCarrier) connected()).socket();
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

    @Override
    public synchronized Socket socket() {
        ChannelSocket currentSocket = socket;
        if (currentSocket == null) {
            currentSocket = new ChannelSocket(this);
            socket = currentSocket;
        }
        return currentSocket;
    }
}
