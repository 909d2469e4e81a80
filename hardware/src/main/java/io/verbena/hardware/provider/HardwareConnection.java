package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaCmId;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Termination;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection of one queue pair, by an rdma_cm_id. The events of the id move it; the state is written under the lock of this object.
 *
 * <pre>
 *   active:  resolve address, resolve route, rdma_connect
 *            InfiniBand: CONNECT_RESPONSE, RTR, RTS, rdma_establish       iWARP: ESTABLISHED
 *   passive: InfiniBand: RTR, RTS                                          then rdma_accept, ESTABLISHED
 *   end:     rdma_disconnect on both sides, DISCONNECTED, ERR
 * </pre>
 */
final class HardwareConnection implements Connection {

    private static final long DRAIN_NS = 500_000_000;
    private static final long CLOSE_NS = 1_000_000_000;

    /** Reasons of a reject of InfiniBand (volume 1, section 12.6.7.2): nothing listens, or the program rejects. */
    private static final int INVALID_SERVICE = 8;

    private static final int CONSUMER = 28;

    private final ConnectionManager manager;
    private final HardwareQueuePair queuePair;
    private final long id;
    private final SharedId shared;
    private final ConnectionOptions options;
    private final WaitPoint changed;
    private final SerialRunner runner;
    private final CopyOnWriteArrayList<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean disconnecting = new AtomicBoolean();
    private final AtomicBoolean destroyed = new AtomicBoolean();
    private volatile ConnectionState state = ConnectionState.CONNECTING;
    private volatile boolean everEstablished;
    private volatile byte[] privateData = new byte[0];
    private volatile String reason = "";
    private volatile Optional<Kind> failure = Optional.empty();
    private volatile SocketAddress remote;
    private volatile SocketAddress local;

    HardwareConnection(ConnectionManager manager, HardwareQueuePair queuePair, long id, ConnectionOptions options) {
        this.manager = manager;
        this.queuePair = queuePair;
        this.id = id;
        shared = new SharedId(id, () -> manager.destroy(id));
        this.options = options;
        changed = manager.rnic().newWaitPoint();
        runner = manager.rnic().newRunner();
        local = SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR);
        remote = SocketAddressCodec.read(id + RdmaCmId.DST_ADDR);
        queuePair.claim(this);
        manager.watch(id, this);
    }

    // Set-up.

    void connectTo(SocketAddress to) {
        remote = to;
        limitTime();
        if (!(to instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            fail(Kind.FAILED, "The address " + to + " is no resolved IP address.");
            return;
        }
        shared.use(() -> step(() -> {
            try (Arena arena = Arena.ofConfined()) {
                long target = DatagramExchange.sockaddr(arena, to);
                long source = options.localAddress()
                        .map(from -> DatagramExchange.sockaddr(arena, from))
                        .orElse(0L);
                manager.libraries()
                        .call(NativeFunction.RESOLVE_ADDR, id, source, target, ConnectionManager.timeoutMs(options));
            }
        }));
    }

    /** librdmacm repeats requests for a minute and more, whatever the program wants. */
    private void limitTime() {
        manager.after(Times.nanos(options.timeout()), this::timedOut);
    }

    private void timedOut() {
        if (state == ConnectionState.CONNECTING) {
            fail(
                    Kind.TIMED_OUT,
                    "The connection to " + remote + " was not established within " + Times.text(options.timeout())
                            + ".");
            later(this::destroyId);
        }
    }

    void accept(byte[] ofPeer) {
        privateData = ofPeer;
        limitTime();
        later(() -> step(() -> {
            queuePair.states().readyToReceive(id);
            queuePair.states().readyToSend(id);
            try (Arena arena = Arena.ofConfined()) {
                manager.libraries()
                        .call(NativeFunction.ACCEPT, id, ConnectionManager.parameters(arena, queuePair, options));
            }
        }));
    }

    private void connect() {
        later(() -> step(() -> {
            try (Arena arena = Arena.ofConfined()) {
                manager.libraries()
                        .call(NativeFunction.CONNECT, id, ConnectionManager.parameters(arena, queuePair, options));
            }
        }));
    }

    /** On a thread that may wait, if the id still exists then. */
    private void later(Runnable work) {
        manager.later(() -> shared.use(work));
    }

    /** A step of the set-up, whose failure ends it. */
    private void step(Runnable work) {
        try {
            work.run();
        } catch (CallFailedException e) {
            fail(kind(e.errno()), "The connection to " + remote + " failed: " + Errno.text(e.errno()) + ".");
        } catch (VerbsException e) {
            fail(Kind.FAILED, "The connection to " + remote + " failed: " + e.getMessage());
        }
    }

    private static Kind kind(int errno) {
        return switch (errno) {
            case Errno.ECONNREFUSED -> Kind.REFUSED;
            case Errno.ETIMEDOUT -> Kind.TIMED_OUT;
            default -> Kind.FAILED;
        };
    }

    /** An event of the id; the event loop calls this. */
    void onEvent(CmEvent event) {
        shared.use(() -> handle(event));
    }

    private void handle(CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED -> onAddress();
            case ROUTE_RESOLVED -> connect();
            case CONNECT_RESPONSE -> step(() -> onResponse(event));
            case ESTABLISHED -> onEstablished(event);
            case REJECTED -> onRejected(event);
            case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE ->
                fail(
                        event.type() == CmEvent.Type.CONNECT_ERROR ? Kind.FAILED : Kind.TIMED_OUT,
                        "The peer " + remote + " was not reached (" + event.type() + ", status " + event.status()
                                + ").");
            case DISCONNECTED -> onDisconnected();
            case DEVICE_REMOVAL -> fail(Kind.FAILED, "The adapter was removed.");
            default -> {}
        }
    }

    private void onAddress() {
        Optional<String> elsewhere = manager.elsewhere(id);
        elsewhere.ifPresentOrElse(
                sentence -> fail(Kind.FAILED, sentence),
                () -> step(() -> manager.libraries()
                        .call(NativeFunction.RESOLVE_ROUTE, id, ConnectionManager.timeoutMs(options))));
    }

    private void onResponse(CmEvent event) {
        privateData = event.privateData();
        queuePair.states().agree(event.terms());
        queuePair.states().readyToReceive(id);
        queuePair.states().readyToSend(id);
        manager.libraries().call(NativeFunction.ESTABLISH, id);
        established();
    }

    private void onEstablished(CmEvent event) {
        if (event.privateData().length > 0) {
            privateData = event.privateData();
        }
        if (!queuePair.state().maySend()) {
            step(() -> queuePair.states().readyToSend(id));
        }
        established();
    }

    private void established() {
        local = SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR);
        if (move(ConnectionState.CONNECTING, ConnectionState.ESTABLISHED)) {
            everEstablished = true;
            changed.signal();
        } else if (state.ended()) {
            queuePair.states().failed(); // the set-up was given up while the queue pair was moved
        }
    }

    private void onRejected(CmEvent event) {
        boolean refused = event.status() == INVALID_SERVICE || event.status() == -Errno.ECONNREFUSED;
        privateData = event.privateData();
        if (refused && event.privateData().length == 0 || event.status() == INVALID_SERVICE) {
            fail(Kind.REFUSED, "Nothing listens at " + remote + ".");
        } else {
            end(
                    ConnectionState.REJECTED,
                    Optional.of(Kind.REJECTED),
                    "The program at " + remote + " rejected the connection"
                            + (event.status() == CONSUMER || refused ? "." : " (status " + event.status() + ")."));
        }
    }

    private void fail(Kind kind, String sentence) {
        boolean accepting =
                queuePair.state().maySend() || manager.rnic().facts().iwarp();
        end(ConnectionState.FAILED, Optional.of(kind), sentence);
        if (accepting) {
            queuePair.states().failed();
        }
    }

    // The end.

    /** The queue pair has failed: the connection ends on both sides. */
    void failed(String sentence) {
        if (state == ConnectionState.ESTABLISHED) {
            end(ConnectionState.FAILED, Optional.of(Kind.FAILED), sentence);
            later(this::disconnectNow);
        }
    }

    private void disconnectNow() {
        if (disconnecting.compareAndSet(false, true)) {
            int _ = manager.libraries().attempt(NativeFunction.DISCONNECT, id);
        }
    }

    private void onDisconnected() {
        if (queuePair.hasUnseenFailure()) {
            failed("Work of the queue pair failed, and the peer closed the connection.");
        }
        later(this::disconnectNow);
        queuePair.states().failed();
        if (endFirst(ConnectionState.CLOSED, Optional.empty(), "The connection was closed.")) {
            manager.rnic()
                    .raise(new AsyncEvent(
                            AsyncEventType.CLOSE_COMPLETE, queuePair, "The connection was closed gracefully."));
        }
    }

    private void end(ConnectionState to, Optional<Kind> kind, String sentence) {
        boolean _ = endFirst(to, kind, sentence);
    }

    /** Returns whether it had not ended before. */
    private boolean endFirst(ConnectionState to, Optional<Kind> kind, String sentence) {
        synchronized (this) {
            if (state.ended()) {
                return false;
            }
            reason = sentence;
            failure = kind;
            state = to;
        }
        report(to);
        changed.signal();
        return true;
    }

    private boolean move(ConnectionState from, ConnectionState to) {
        synchronized (this) {
            if (state != from) {
                return false;
            }
            state = to;
        }
        report(to);
        return true;
    }

    private void report(ConnectionState now) {
        listeners.forEach(each -> runner.add(() -> each.onState(this, now)));
    }

    @Override
    public void disconnect() {
        if (!move(ConnectionState.ESTABLISHED, ConnectionState.CLOSING)) {
            return;
        }
        later(() -> {
            // Posted work is sent first, as far as the program polls its completions.
            changed.awaitUninterruptibly(() -> queuePair.sends().outstanding() == 0, DRAIN_NS);
            disconnectNow();
        });
    }

    @Override
    public void close() {
        disconnect();
        if (state == ConnectionState.CLOSING && !manager.rnic().mustNotWait()) {
            changed.awaitUninterruptibly(() -> state.ended(), CLOSE_NS);
        }
        abort();
    }

    /** Ends the connection at once, and destroys its id. */
    void abort() {
        boolean settingUp = state == ConnectionState.CONNECTING;
        if (destroyId() && (everEstablished || queuePair.state().maySend())) {
            queuePair.states().failed();
        }
        end(
                settingUp ? ConnectionState.FAILED : ConnectionState.CLOSED,
                settingUp ? Optional.of(Kind.FAILED) : Optional.empty(),
                "The connection was closed by this side.");
    }

    /** Returns whether the id was not destroyed before. */
    private boolean destroyId() {
        boolean first = destroyed.compareAndSet(false, true);
        if (first) {
            manager.unwatch(id);
            shared.end();
        }
        return first;
    }

    // What the program sees.

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public ConnectionState state() {
        return state;
    }

    @Override
    public TransportType transport() {
        return manager.rnic().facts().transport();
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public void awaitEstablished(Duration timeout) throws ConnectionException {
        boolean over = changed.await(() -> state != ConnectionState.CONNECTING, Times.nanos(timeout));
        if (!over) {
            throw new ConnectionException(
                    Kind.TIMED_OUT,
                    "The connection to " + remote + " was not established within " + Times.text(timeout) + ".",
                    new byte[0]);
        }
        if (!everEstablished && failure.isPresent()) {
            throw new ConnectionException(failure.get(), reason, privateData);
        }
    }

    @Override
    public boolean awaitClosed(Duration timeout) {
        return changed.await(() -> state.ended(), Times.nanos(timeout));
    }

    @Override
    public String reason() {
        return reason;
    }

    @Override
    public Optional<Termination> termination() {
        return Optional.empty();
    }

    @Override
    public void onStateChange(ConnectionListener listener) {
        listeners.add(listener);
        ConnectionState currentState = state;
        runner.add(() -> listener.onState(this, currentState));
    }
}
