package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
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

    private static final InetAddress IPV4_LOOPBACK = loopback(127, 0, 0, 1);
    private static final InetAddress IPV6_LOOPBACK = loopback(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

    private final ByteBuffer[] oneTarget = new ByteBuffer[1];
    private final ByteBuffer[] oneSource = new ByteBuffer[1];
    private @Nullable ChannelSocket socket;

    VerbenaSocketChannel(VerbenaSelectorProvider provider, Networks networks, SocketChannel jdk) {
        super(provider, networks, jdk);
    }

    private static InetAddress loopback(int... bytes) {
        byte[] address = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            address[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("An address has 4 or 16 bytes, not " + bytes.length + ".", e);
        }
    }

    /** An accepted channel of the JDK, decided or not. */
    static VerbenaSocketChannel accepted(VerbenaSelectorProvider provider, Networks networks, PlainCarrier plain) {
        VerbenaSocketChannel channel = FileTargets.channel(provider, networks, plain.jdk());
        channel.keepAddresses(plain);
        channel.carrier = plain;
        plain.belongs(channel.keys::signal, channel.writeLock);
        return channel;
    }

    /** The program has accepted the connection. */
    VerbenaSocketChannel onAccepted() {
        trySwitch(); // the request may have been read since the channel was handed over undecided
        accepted = true;
        id = networks.connections().add(this);
        ConnectionEvent.Recorded.accept(this);
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
        why = networks.whyPlain(remote);
        try {
            if (timeoutMs > 0) {
                jdk.socket().connect(remote, timeoutMs);
                connected = true;
            } else {
                connected = jdk.connect(remote);
            }
        } catch (IOException e) {
            keepRemote(target(remote));
            closeWithJdk();
            throw e;
        }
        if (connected) {
            establish(PlainCarrier.of(jdk));
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
        InetSocketAddress target = (InetSocketAddress) target(remote);
        ConnectAttempt begun = new ConnectAttempt(networks, options, jdk, target, approach, keys::signal);
        stateLock.lock();
        try {
            check();
            keepRemote(target);
            attempt = begun;
            connectBeganNs = System.nanoTime();
        } finally {
            stateLock.unlock();
        }
        begun.begin();
        return isBlocking() && finish(begun, timeoutMs);
    }

    /** As the JDK, which connects to the loopback address in place of the wildcard. */
    private static SocketAddress target(SocketAddress remote) {
        return remote instanceof InetSocketAddress inet
                        && inet.getAddress() != null
                        && inet.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(
                        inet.getAddress() instanceof Inet6Address ? IPV6_LOOPBACK : IPV4_LOOPBACK, inet.getPort())
                : remote;
    }

    private boolean finish(ConnectAttempt begun, int timeoutMs) throws IOException {
        if (isBlocking()) {
            boolean completed = false;
            try {
                begin();
                long timeoutNs = timeoutMs == 0 ? Long.MAX_VALUE : timeoutMs * 1_000_000L;
                completed = await(begun, timeoutNs) && isOpen();
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
            take(begun);
            attempt = null; // nothing asks it any more
        } catch (IOException e) {
            close();
            throw e;
        }
        return true;
    }

    private void take(ConnectAttempt begun) throws IOException {
        stateLock.lock();
        try {
            if (!isOpen()) {
                throw new AsynchronousCloseException(); // what the attempt has is closed with the channel
            }
            Carrier result = begun.result();
            if (result instanceof PlainCarrier plain) {
                why = begun.why();
                plain.belongs(keys::signal, writeLock);
                if (uninterruptible) {
                    UninterruptibleChannels.ignoreInterrupts(
                            plain.jdk()); // another one than that of the attempt's beginning, perhaps
                }
                plain.jdk().configureBlocking(isBlocking());
            }
            establish(result);
        } finally {
            stateLock.unlock();
        }
    }

    /** Waits between begin() and end(). Returns false if the time expired or the channel was closed. */
    private boolean await(ConnectAttempt begun, long timeoutNs) {
        long startNs = System.nanoTime();
        long leftNs = timeoutNs;
        boolean done = false;
        boolean waits = true;
        while (isOpen() && !done && waits) {
            done = begun.await(leftNs);
            waits = uninterruptible && UninterruptibleChannels.clearStatus();
            leftNs = timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (System.nanoTime() - startNs);
            begin(); // closes the channel if the thread was interrupted
        }
        return done;
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
        establish(PlainCarrier.of(jdk));
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
        FileTransfers.onTarget(target);
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

    private static long remaining(ByteBuffer[] buffers, int offset, int length) {
        long all = 0;
        for (int i = offset; i < offset + length; i++) {
            all += buffers[i].remaining();
        }
        return all;
    }

    private long readLocked(ByteBuffer[] targets, int offset, int length) throws IOException {
        Carrier now = connected();
        if (inputShut) {
            return -1;
        }
        for (int i = offset; i < offset + length; i++) {
            if (targets[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
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
        return readStream((WaitedCarrier) now, targets, offset, length, Long.MAX_VALUE);
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

    /** As {@code begin()}. */
    void beginWait() {
        begin();
    }

    /** As {@code end(completed)}. */
    void endWait(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    /** Waits between begin() and end(). The wait for the engine has an interruptor of its own, which that of the channel replaces. */
    boolean await(WaitedCarrier stream, int ready, long timeoutNs) throws IOException {
        boolean came = stream.awaitReady(ready, timeoutNs);
        if (uninterruptible) {
            UninterruptibleChannels.clearStatus();
        }
        begin(); // closes the channel if the thread was interrupted
        return came;
    }

    private long readStream(WaitedCarrier stream, ByteBuffer[] targets, int offset, int length, long timeoutNs)
            throws IOException {
        if (!isBlocking()) {
            return stream.read(targets, offset, length);
        }
        long startNs = System.nanoTime();
        long leftNs = timeoutNs;
        long bytes = 0;
        try {
            begin();
            while (isOpen() && leftNs > 0) {
                bytes = stream.read(targets, offset, length);
                if (bytes != 0) {
                    break;
                }
                await(stream, StreamSocket.READABLE, leftNs);
                leftNs = timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (System.nanoTime() - startNs);
            }
        } finally {
            end(bytes != 0);
        }
        if (bytes == 0 && !inputShut) {
            throw new SocketTimeoutException("Read timed out");
        }
        return bytes == 0 ? -1 : bytes;
    }

    /** Reads as the stream of a socket does, at most for a time; 0 is indefinitely. The channel must be blocking. */
    int readWithin(ByteBuffer target, int timeoutMs) throws IOException {
        readLock.lock();
        try {
            connected();
            checkBlocking();
            return timeoutMs == 0 ? read(target) : readLocked(target, timeoutMs);
        } finally {
            readLock.unlock();
        }
    }

    private void checkBlocking() {
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    private int readLocked(ByteBuffer target, int timeoutMs) throws IOException {
        if (inputShut) {
            return -1;
        }
        Carrier now = connected();
        if (now instanceof PlainCarrier plain) {
            try {
                plain.jdk().socket().setSoTimeout(timeoutMs);
                if (!decideWithin(plain, timeoutMs)) {
                    throw new SocketTimeoutException("Read timed out");
                }
                now = connected();
                if (now instanceof PlainCarrier decided) {
                    return decided.readWithin(target);
                }
            } catch (IOException e) {
                closeWithJdk();
                throw e;
            }
        }
        return (int) readStream((WaitedCarrier) now, new ByteBuffer[] {target}, 0, 1, timeoutMs * 1_000_000L);
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

    // Writing.

    @Override
    public int write(ByteBuffer source) throws IOException {
        FileTransfers.onSource(source);
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
        if (carrier instanceof PlainCarrier plain
                && plain.decision() == PlainCarrier.Decision.UNDECIDED
                && !outputShut
                && isOpen()
                && remaining(sources, offset, length) == 0) {
            return 0; // a program that writes nothing has not spoken first
        }
        Carrier now = writer();
        if (now instanceof PlainCarrier plain) {
            return writePlain(plain, sources, offset, length);
        }
        return now == null ? 0 : writeStream((WaitedCarrier) now, sources, offset, length);
    }

    /**
     * What carries bytes that are written now, which decides it; null while the channel changes to another one. With
     * the lock for writing.
     */
    @Nullable
    Carrier writer() throws IOException {
        Carrier now = connected();
        if (outputShut) {
            throw new AsynchronousCloseException(); // as the channels of the JDK
        }
        if (!(now instanceof PlainCarrier plain) || plain.decidePlain()) {
            return now;
        }
        return awaitSwitch(plain) ? connected() : null;
    }

    private long writePlain(PlainCarrier plain, ByteBuffer[] sources, int offset, int length) throws IOException {
        try {
            return plain.write(sources, offset, length);
        } catch (IOException e) {
            closeWithJdk();
            throw e;
        }
    }

    /** Writes a part of a file. */
    long writePlain(PlainCarrier plain, FilePart file, long count) throws IOException {
        try {
            return plain.write(file, count);
        } catch (IOException e) {
            closeWithJdk();
            throw e;
        }
    }

    private long writeStream(WaitedCarrier stream, ByteBuffer[] sources, int offset, int length) throws IOException {
        if (!isBlocking()) {
            return stream.write(sources, offset, length);
        }
        long left = remaining(sources, offset, length);
        long written = 0;
        boolean waited = false;
        try {
            begin();
            while (written < left && isOpen() && !outputShut) {
                written += stream.write(sources, offset, length);
                if (written < left) {
                    waited = true;
                    stream.incomplete(written);
                    await(stream, StreamSocket.WRITABLE, Long.MAX_VALUE);
                }
            }
        } catch (IOException e) {
            if (written == 0) {
                throw e; // else the next write reports it
            }
        } finally {
            if (waited) {
                stream.incomplete(0);
            }
            end(written > 0 || left == 0);
        }
        if (outputShut && written == 0 && left > 0) {
            throw new AsynchronousCloseException(); // as the channels of the JDK
        }
        return written;
    }

    /** Writes as the stream of a socket does: all bytes. The channel must be blocking. */
    void writeFully(ByteBuffer source) throws IOException {
        writeLock.lock();
        try {
            connected();
            checkBlocking();
            if (outputShut) {
                throw new ClosedChannelException(); // as the sockets of the JDK's channels
            }
            while (source.hasRemaining()) {
                writePart(source);
            }
        } finally {
            writeLock.unlock();
        }
    }

    private void writePart(ByteBuffer source) throws IOException {
        if (!isOpen()) {
            throw new AsynchronousCloseException();
        }
        if (outputShut) {
            throw new IOException("Broken pipe"); // as the sockets of the JDK's channels
        }
        int before = source.position();
        try {
            write(source);
        } catch (AsynchronousCloseException e) {
            if (isOpen() && source.position() == before) {
                throw new IOException("Broken pipe", e); // the output was shut meanwhile
            }
            throw e;
        } catch (ClosedChannelException e) {
            throw source.position() == before && !isOpen()
                    ? (IOException) new AsynchronousCloseException().initCause(e)
                    : e;
        }
    }

    // Transfers between channels.

    /** Whether {@link #readTo} and {@link #writeFrom} are possible. */
    boolean transfers() {
        return carrier instanceof WaitedCarrier && !isBlocking();
    }

    int readTo(WritableByteChannel target) throws IOException {
        readLock.lock();
        try {
            WaitedCarrier stream = stream();
            return inputShut ? -1 : stream.readTo(target);
        } finally {
            readLock.unlock();
        }
    }

    int writeFrom(ByteSource source, int most) throws IOException {
        writeLock.lock();
        try {
            WaitedCarrier stream = stream();
            if (outputShut) {
                throw new AsynchronousCloseException();
            }
            return stream.writeFrom(source, most);
        } finally {
            writeLock.unlock();
        }
    }

    private WaitedCarrier stream() throws IOException {
        return (WaitedCarrier) connected();
    }

    // The ends.

    @Override
    public SocketChannel shutdownInput() throws IOException {
        stateLock.lock();
        try {
            Carrier now = connected();
            if (!inputShut) {
                inputShut = true;
                if (!switching(now)) {
                    now.shutdownInput();
                }
            }
        } finally {
            stateLock.unlock();
        }
        keys.signal();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        if (connected() instanceof PlainCarrier plain && !plain.decidePlain()) {
            awaitSwitch(plain);
        }
        stateLock.lock();
        try {
            Carrier now = connected();
            if (!outputShut) {
                outputShut = true; // a thread that writes looks at it when it is woken
                if (!switching(now)) {
                    now.shutdownOutput();
                }
            }
        } finally {
            stateLock.unlock();
        }
        keys.signal();
        return this;
    }

    /** The TCP stream will belong to the RNIC: then the stream over RDMA is shut. */
    private static boolean switching(Carrier now) {
        return now instanceof PlainCarrier plain && plain.decision() == PlainCarrier.Decision.RDMA;
    }

    /** Bytes that a socket can read without blocking. */
    int available() throws IOException {
        return switch (connected()) {
            case PlainCarrier plain -> inputShut ? 0 : plain.available();
            case WaitedCarrier stream -> stream.available();
        };
    }

    void urgentInline(boolean on) throws IOException {
        check();
        options.urgentInline(on);
    }

    boolean urgentInline() throws IOException {
        check();
        return options.urgentInline();
    }

    void sendUrgentData(int data) throws IOException {
        switch (connected()) {
            case PlainCarrier plain
            when plain.decidePlain() -> plain.jdk().socket().sendUrgentData(data);
            default -> throw new SocketException("A stream over RDMA has no urgent data.");
        }
    }

    @Override
    public Socket socket() {
        stateLock.lock(); // a program may have the monitor of the channel
        try {
            ChannelSocket currentSocket = socket;
            if (currentSocket == null) {
                currentSocket = new ChannelSocket(this);
                socket = currentSocket;
            }
            return currentSocket;
        } finally {
            stateLock.unlock();
        }
    }
}
