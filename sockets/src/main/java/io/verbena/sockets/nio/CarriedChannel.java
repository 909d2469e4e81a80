package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SocketFailure;
import io.verbena.sockets.nio.select.ChannelKeys;
import io.verbena.sockets.nio.select.Keyed;
import io.verbena.sockets.nio.select.RankedLock;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A socket channel whose {@link Carrier} is decided when it is connected or accepted. Until then a channel of the JDK has
 * its options and its local address. An accepted channel can remain undecided, and change to a stream over RDMA as soon as
 * no selector of the JDK has it.
 */
abstract sealed class CarriedChannel extends SocketChannel implements Keyed, Connections.Connected
        permits VerbenaSocketChannel {

    private static final long SWITCH_POLL_NS = 100_000;

    final Networks networks;
    final ChannelOptions options;
    final ChannelKeys keys = new ChannelKeys();
    final RankedLock readLock = new RankedLock(RankedLock.Rank.READING);
    final RankedLock writeLock = new RankedLock(RankedLock.Rank.WRITING);
    final RankedLock stateLock = new RankedLock(RankedLock.Rank.STATE);

    // Written with the state lock.
    final SocketChannel jdk;
    volatile @Nullable Carrier carrier;
    volatile @Nullable ConnectAttempt attempt;
    volatile boolean inputShut;
    volatile boolean outputShut;

    /** The addresses, which a socket still answers when it is closed. That of the peer is the one to which the program connects. */
    private volatile @Nullable SocketAddress local;

    private volatile @Nullable SocketAddress remote;

    /** The number of the connection; 0 before there is one that the program knows. */
    volatile long id;

    volatile boolean accepted;

    /** Why a connection that this side has made is by TCP. */
    volatile String why = "";

    long connectBeganNs;

    /** Whether the channel is that of a {@code java.net.Socket}. */
    volatile boolean uninterruptible;

    CarriedChannel(VerbenaSelectorProvider provider, Networks networks, SocketChannel jdk) {
        super(provider);
        this.networks = networks;
        this.jdk = jdk;
        options = new ChannelOptions(networks, jdk);
    }

    /** An interrupt of a platform thread neither ends a wait nor closes the channel; see {@link UninterruptibleChannels}. */
    void ignoreInterrupts() throws IOException {
        uninterruptible = true;
        UninterruptibleChannels.ignoreInterrupts(this);
        UninterruptibleChannels.ignoreInterrupts(carrier instanceof PlainCarrier plain ? plain.jdk() : jdk);
    }

    /** Makes an accepted channel a stream over RDMA. */
    StreamSocket convert(PlainCarrier plain) throws IOException {
        SocketAddress here = plain.localAddress().orElseThrow(ClosedChannelException::new);
        SocketAddress peer = plain.remoteAddress().orElseThrow(ClosedChannelException::new);
        options.inherit(plain.jdk());
        options.onRdma();
        StreamSocket stream = networks.streams().answerConversion(plain.jdk(), plain.request());
        StreamCarrier carried = new StreamCarrier(stream, here, peer);
        install(carried);
        shut(carried);
        return stream;
    }

    /** The program has done so before. */
    private void shut(Carrier carried) throws IOException {
        if (outputShut) {
            carried.shutdownOutput();
        }
        if (inputShut) {
            carried.shutdownInput();
        }
    }

    /** Makes an accepted channel a stream of rings, if its peer offers them and the memory can be opened. */
    boolean convertToRings(PlainCarrier plain) throws IOException {
        Optional<RingCarrier> rings = RingCarrier.accepted(networks, options, plain);
        if (rings.isPresent()) {
            install(rings.get());
            shut(rings.get());
        }
        return rings.isPresent();
    }

    /** Whether a stream of rings was reset and nothing is left to be read. */
    boolean wasReset() {
        return carrier instanceof RingCarrier rings && rings.socket().wasReset();
    }

    /** The channel is connected, unless another thread has closed it. */
    void establish(Carrier carried) throws AsynchronousCloseException {
        stateLock.lock();
        try {
            if (!isOpen()) {
                throw new AsynchronousCloseException();
            }
            onConnected(carried);
        } finally {
            stateLock.unlock();
        }
    }

    private void onConnected(Carrier carried) {
        install(carried);
        id = networks.connections().add(this);
        ConnectionEvent.Recorded.connect(this, attempt != null, Duration.ofNanos(System.nanoTime() - connectBeganNs));
    }

    void install(Carrier carried) {
        keepAddresses(carried);
        carrier = carried;
        if (carried instanceof WaitedCarrier stream) {
            stream.onReady(keys::signal);
        }
        if (carried instanceof RingCarrier stream) {
            networks.addRings(stream.socket());
        }
        keys.signal();
    }

    /** A closed channel of the JDK has none. */
    void keepAddresses(Carrier carried) {
        Optional<SocketAddress> here = SocketFailure.orElse(carried::localAddress, Optional.empty());
        Optional<SocketAddress> peer = SocketFailure.orElse(carried::remoteAddress, Optional.empty());
        local = here.orElse(local);
        remote = remote == null ? peer.orElse(null) : remote;
    }

    /** The program connects to this address. */
    void keepRemote(SocketAddress target) {
        remote = target;
    }

    SocketTransport transport() {
        Carrier currentCarrier = carrier;
        return currentCarrier == null ? SocketTransport.NONE : currentCarrier.transport();
    }

    @Override
    public Optional<SocketFigures> figures() {
        Carrier currentCarrier = carrier;
        long number = id;
        if (currentCarrier == null || number == 0) {
            return Optional.empty();
        }
        SocketFigures.Route route = new SocketFigures.Route(
                addressText(currentCarrier::localAddress), addressText(currentCarrier::remoteAddress), accepted);
        return Optional.of(
                new SocketFigures(number, route, currentCarrier.transport(), why(), currentCarrier.figures()));
    }

    @Override
    public String why() {
        if (!(carrier instanceof PlainCarrier plain)) {
            return "";
        }
        return accepted ? plain.why() : why;
    }

    private static String addressText(SocketFailure.Call<Optional<SocketAddress>> address) {
        try {
            return address.run().map(AddressText::ofIp).orElse("");
        } catch (IOException _) {
            return ""; // the channel of the JDK is closed
        }
    }

    // Selection.

    @Override
    public ChannelKeys keys() {
        return keys;
    }

    @Override
    public int readyNow() {
        Carrier currentCarrier = carrier;
        if (currentCarrier != null) {
            return currentCarrier.readyOps()
                    | (inputShut && currentCarrier instanceof PlainCarrier ? SelectionKey.OP_READ : 0);
        }
        ConnectAttempt begun = attempt;
        return begun != null && begun.done() ? SelectionKey.OP_CONNECT : 0;
    }

    @Override
    public Optional<SelectableChannel> innerChannel() {
        Carrier currentCarrier = carrier;
        if (currentCarrier instanceof PlainCarrier plain) {
            return plain.decision() == PlainCarrier.Decision.RDMA ? Optional.empty() : Optional.of(plain.jdk());
        }
        if (currentCarrier instanceof RingCarrier rings) {
            return rings.line();
        }
        return currentCarrier == null && attempt == null && jdk.isConnectionPending()
                ? Optional.of(jdk)
                : Optional.empty();
    }

    @Override
    public int onInnerReady(int ops) {
        if (carrier instanceof RingCarrier rings) {
            rings.onLine();
            keys.signal();
            return 0;
        }
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
    public int innerInterest(int interest) {
        return carrier instanceof RingCarrier && interest != 0 ? SelectionKey.OP_READ : interest;
    }

    @Override
    public boolean mustBeLookedAt(int interest, boolean inMemory) {
        return carrier instanceof RingCarrier rings && rings.mustBeLookedAt(interest, inMemory);
    }

    @Override
    public @Nullable RingCarrier rings() {
        return carrier instanceof RingCarrier rings ? rings : null;
    }

    @Override
    public void sleepFor(int interest) {
        if (carrier instanceof RingCarrier rings) {
            rings.sleepFor(interest);
        }
    }

    @Override
    public void onInnerForgotten() {
        trySwitch();
    }

    /** Becomes a stream over RDMA as soon as no selector of the JDK has the channel. */
    void trySwitch() {
        if (!convertsIfPossible()) {
            closeQuietly(); // the peer, which has asked for RDMA, sees the end of the connection
        }
    }

    /** Returns false if the conversion has failed. */
    private boolean convertsIfPossible() {
        stateLock.lock();
        try {
            if (isOpen()
                    && carrier instanceof PlainCarrier plain
                    && plain.decision() == PlainCarrier.Decision.RDMA
                    && !plain.jdk().isRegistered()) {
                if (!convertToRings(plain)) {
                    convert(plain);
                }
            }
            return true;
        } catch (IOException | RuntimeException _) {
            return false;
        } finally {
            stateLock.unlock();
        }
    }

    private void closeQuietly() {
        try {
            close();
        } catch (IOException _) {
            keys.signal(); // the channel is closed whatever the JDK reports
        }
    }

    /** Waits until the channel has left the selectors of the JDK, if it is blocking. */
    boolean awaitSwitch(PlainCarrier plain) throws IOException {
        trySwitch();
        if (carrier != plain || !isBlocking()) {
            return carrier != plain;
        }
        boolean switched = false;
        try {
            begin(); // an interrupt closes the channel
            while (carrier == plain && isBlocking() && isOpen()) {
                LockSupport.parkNanos(this, SWITCH_POLL_NS);
                trySwitch();
            }
            switched = carrier != plain;
        } finally {
            end(switched);
        }
        return switched;
    }

    // State.

    void check() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    Carrier connected() throws IOException {
        check();
        Carrier currentCarrier = carrier;
        if (currentCarrier == null) {
            throw new NotYetConnectedException();
        }
        return currentCarrier;
    }

    boolean inputShut() {
        return inputShut;
    }

    boolean outputShut() {
        return outputShut;
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        assert RankedLock.allows(RankedLock.Rank.REGISTERING);
        readLock.lock();
        try {
            writeLock.lock();
            try {
                keys.dropInvalid();
                configureInner(block);
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
        }
    }

    private void configureInner(boolean block) throws IOException {
        stateLock.lock();
        try {
            check(); // another thread may have closed the channel to end the wait of a third one
            if (carrier instanceof PlainCarrier plain) {
                plain.jdk().configureBlocking(block);
            } else if (carrier == null && attempt == null) {
                jdk.configureBlocking(block);
            }
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        assert RankedLock.allows(RankedLock.Rank.CLOSING);
        stateLock.lock();
        try {
            ConnectionEvent.Recorded.close(this);
            networks.connections().remove(this);
            local = localAddress();
            remote = remoteAddress();
            end();
        } finally {
            stateLock.unlock();
        }
        keys.signal();
    }

    private void end() throws IOException {
        Carrier currentCarrier = carrier;
        ConnectAttempt begun = attempt;
        if (currentCarrier instanceof WaitedCarrier stream) {
            stream.close(options.get(StandardSocketOptions.SO_LINGER) == 0);
            if (stream instanceof RingCarrier rings) {
                networks.rings().remove(rings.socket());
            }
        } else if (currentCarrier != null) {
            currentCarrier.close(false);
        } else if (begun != null) {
            begun.cancel();
        } else {
            jdk.close();
        }
    }

    // What it is.

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        check();
        return localAddress();
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        check();
        return remoteAddress();
    }

    /** The address of this side, also of a closed channel. */
    @Nullable
    SocketAddress localAddress() {
        SocketAddress kept = local;
        if (kept != null || carrier != null) {
            return kept;
        }
        ConnectAttempt begun = attempt;
        return begun == null
                ? SocketFailure.orNull(jdk::getLocalAddress)
                : begun.bound().orElse(null);
    }

    /** The address of the peer, as the program has given it, also while the channel connects and when it is closed. */
    @Nullable
    SocketAddress remoteAddress() {
        SocketAddress kept = remote;
        return kept != null || carrier != null || attempt != null ? kept : SocketFailure.orNull(jdk::getRemoteAddress);
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        ChannelOptions.check(supportedOptions(), name, value);
        check();
        options.set(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        ChannelOptions.check(supportedOptions(), name);
        check();
        return options.get(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    /** The same text as for a channel of the JDK: programs read it. {@link VerbenaSelectorProvider#transport} has what carries it. */
    @Override
    public String toString() {
        return SocketChannel.class.getName() + "[" + (isOpen() ? state() : "closed") + "]";
    }

    private String state() {
        String state = carrier != null ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected";
        SocketAddress here = localAddress();
        SocketAddress peer = remoteAddress();
        return state
                + (carrier != null && inputShut ? " ishut" : "")
                + (carrier != null && outputShut ? " oshut" : "")
                + (here == null ? "" : " local=" + here)
                + (peer == null ? "" : " remote=" + peer);
    }
}
