package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.hardware.provider.cm.SharedId;
import io.verbena.hardware.provider.survival.AdapterAgreement;
import io.verbena.hardware.provider.survival.SurvivalTerms;
import io.verbena.notify.SerialRunner;
import io.verbena.objects.ConnectionObject;
import io.verbena.objects.ConnectionRules;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Termination;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection of one queue pair, by an rdma_cm_id. The events of the id move it;
 *
 * <pre>
 *   active:  resolve address, resolve route, rdma_connect
 *            InfiniBand: CONNECT_RESPONSE, RTR, RTS, rdma_establish       iWARP: ESTABLISHED
 *   passive: InfiniBand: RTR, RTS                                          then rdma_accept, ESTABLISHED
 *   end:     rdma_disconnect on both sides, DISCONNECTED, ERR
 * </pre>
 */
final class HardwareConnection extends ConnectionObject implements QueuePairOwner, CmMember {

    private static final long DRAIN_NS = 500_000_000;
    private static final long CLOSE_NS = 1_000_000_000;
    private static final long FAREWELL_NS = 500_000_000;

    /** Reasons of a reject of InfiniBand (volume 1, section 12.6.7.2): nothing listens, or the program rejects. */
    private static final int INVALID_SERVICE = 8;

    private static final int CONSUMER = 28;

    private final ConnectionManager manager;
    private final HardwareQueuePair queuePair;
    private final long id;
    private final ConnectionOptions options;

    /** What lets it survive its transport, if this side wants that. */
    private final Optional<AdapterSurvivor> survivor;

    /** The id that carries it. */
    private volatile SharedId shared;

    private final AtomicBoolean disconnecting = new AtomicBoolean();
    private final AtomicBoolean destroyed = new AtomicBoolean();

    /**
     * A connection over an id.
     *
     * @param survival how it survives its transport, if this side wants that and the peer has not refused
     */
    HardwareConnection(
            ConnectionManager manager,
            HardwareQueuePair queuePair,
            long id,
            ConnectionOptions options,
            Optional<SurvivalTerms> survival) {
        super(
                queuePair,
                SocketAddressCodec.read(id + RdmaCmId.DST_ADDR),
                manager.rnic().newWaitPoint());
        this.manager = manager;
        this.queuePair = queuePair;
        this.id = id;
        shared = new SharedId(id, () -> manager.destroy(id));
        this.options = options;
        addresses(SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR), remoteAddress());
        queuePair.endSurviving();
        survivor = survival.map(terms -> new AdapterSurvivor(manager, this, queuePair, options, terms));
        queuePair.claim(this);
        manager.watch(id, this);
    }

    /**
     * Checks the options of a connection of a queue pair.
     *
     * @param mostBytes private data that the message of this side can have
     */
    static void check(ConnectionOptions options, HardwareQueuePair queuePair, int mostBytes) {
        boolean survives = options.survival().isPresent();
        ConnectionRules.values(options, survives ? mostBytes - AdapterAgreement.LENGTH : mostBytes);
        if (AdapterAgreement.isMarked(options.privateData())) {
            throw new IllegalArgumentException("the private data begin as those of a connection that survives its"
                    + " transport do; put another byte before them");
        }
        boolean possible = queuePair.service() == TransportService.RELIABLE_CONNECTION
                && queuePair.options().sharedReceiveQueue().isEmpty();
        if (survives && !possible) {
            throw new UnsupportedOperationException("Over an adapter only a reliable connection survives its transport,"
                    + " whose queue pair has a receive queue of its own.");
        }
    }

    /** Whether the entries of the device tell how far it came: they are in the order of posting. */
    static boolean survivable(ConnectionManager manager) {
        return !manager.rnic().facts().siw();
    }

    // Set-up.

    /** Begins to connect a queue pair. */
    static HardwareConnection start(
            ConnectionManager manager, HardwareQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        check(options, queuePair, manager.rnic().facts().maxPrivateDataBytes());
        if (options.survival().isPresent() && !survivable(manager)) {
            throw new UnsupportedOperationException("Over siw, the iWARP of Linux, a connection does not survive its"
                    + " transport: siw completes a Write before a Read that was posted earlier, so that its entries do"
                    + " not tell what was executed.");
        }
        HardwareConnection connection = manager.withConnectionId(id -> new HardwareConnection(
                manager,
                queuePair,
                id,
                options,
                options.survival().map(wanted -> new SurvivalTerms(wanted, Optional.of(remote)))));
        connection.connectTo(remote);
        return connection;
    }

    private void connectTo(SocketAddress to) {
        addresses(localAddress(), to);
        limitTime();
        if (!(to instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            fail(ConnectionException.Kind.FAILED, "The address " + to + " is no resolved IP address.");
            return;
        }
        shared.use(() -> step(() -> {
            try (Arena arena = Arena.ofConfined()) {
                long target = CmParameters.address(arena, to);
                long source = options.localAddress()
                        .map(from -> CmParameters.address(arena, from))
                        .orElse(0L);
                manager.libraries()
                        .call(NativeFunction.RESOLVE_ADDR, id, source, target, CmParameters.timeoutMs(options));
            }
        }));
    }

    /** librdmacm repeats requests for a minute and more, whatever the program wants. */
    private void limitTime() {
        manager.after(Times.nanos(options.timeout()), this::timedOut);
    }

    private void timedOut() {
        if (state() == ConnectionState.CONNECTING) {
            fail(
                    ConnectionException.Kind.TIMED_OUT,
                    "The connection to " + remoteAddress() + " was not established within "
                            + Times.text(options.timeout()) + ".");
            later(this::destroyId);
        }
    }

    void accept(byte[] ofPeer) {
        privateData(survivor.map(each -> each.onPeerData(ofPeer)).orElse(ofPeer));
        limitTime();
        later(() -> step(() -> {
            queuePair.states().readyToReceive(id);
            queuePair.states().readyToSend(id);
            try (Arena arena = Arena.ofConfined()) {
                manager.libraries().call(NativeFunction.ACCEPT, id, parameters(arena));
            }
        }));
    }

    private long parameters(Arena arena) {
        return CmParameters.connection(
                arena,
                survivor.map(AdapterSurvivor::privateData).orElse(options.privateData()),
                queuePair.number(),
                queuePair.states().inboundReads(),
                queuePair.states().outboundReads(),
                options);
    }

    private void connect() {
        later(() -> step(() -> {
            try (Arena arena = Arena.ofConfined()) {
                manager.libraries().call(NativeFunction.CONNECT, id, parameters(arena));
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
            fail(kind(e.errno()), "The connection to " + remoteAddress() + " failed: " + Errno.text(e.errno()) + ".");
        } catch (VerbsException e) {
            fail(
                    ConnectionException.Kind.FAILED,
                    "The connection to " + remoteAddress() + " failed: " + e.getMessage());
        }
    }

    private static ConnectionException.Kind kind(int errno) {
        return switch (errno) {
            case Errno.ECONNREFUSED -> ConnectionException.Kind.REFUSED;
            case Errno.ETIMEDOUT -> ConnectionException.Kind.TIMED_OUT;
            default -> ConnectionException.Kind.FAILED;
        };
    }

    @Override
    public void onEvent(CmEvent event) {
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
                        event.type() == CmEvent.Type.CONNECT_ERROR
                                ? ConnectionException.Kind.FAILED
                                : ConnectionException.Kind.TIMED_OUT,
                        "The peer " + remoteAddress() + " was not reached (" + event.type() + ", status "
                                + event.status() + ").");
            case DISCONNECTED -> {
                if (survives()) {
                    survivor.orElseThrow().disconnected();
                } else {
                    onDisconnected();
                }
            }
            case DEVICE_REMOVAL -> fail(ConnectionException.Kind.FAILED, "The adapter was removed.");
            default -> {}
        }
    }

    private void onAddress() {
        Optional<String> elsewhere = manager.elsewhere(id);
        elsewhere.ifPresentOrElse(
                sentence -> fail(ConnectionException.Kind.FAILED, sentence),
                () -> step(() ->
                        manager.libraries().call(NativeFunction.RESOLVE_ROUTE, id, CmParameters.timeoutMs(options))));
    }

    private void onResponse(CmEvent event) {
        onPrivateData(event);
        queuePair.states().agree(event.terms());
        queuePair.states().readyToReceive(id);
        queuePair.states().readyToSend(id);
        manager.libraries().call(NativeFunction.ESTABLISH, id);
        established();
    }

    private void onPrivateData(CmEvent event) {
        byte[] data = event.privateData();
        privateData(survivor.map(each -> each.onPeerData(data)).orElse(data));
    }

    private void onEstablished(CmEvent event) {
        if (event.privateData().length > 0) {
            onPrivateData(event);
        }
        if (!queuePair.state().maySend()) {
            step(() -> queuePair.states().readyToSend(id));
        }
        established();
    }

    private void established() {
        addresses(SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR), remoteAddress());
        survivor.ifPresent(AdapterSurvivor::established);
        if (!moveFrom(ConnectionState.CONNECTING, ConnectionState.ESTABLISHED) && state().ended()) {
            queuePair.states().failed(); // the set-up was given up while the queue pair was moved
        }
    }

    private void onRejected(CmEvent event) {
        boolean refused = event.status() == INVALID_SERVICE || event.status() == -Errno.ECONNREFUSED;
        privateData(event.privateData());
        if (refused && event.privateData().length == 0 || event.status() == INVALID_SERVICE) {
            fail(ConnectionException.Kind.REFUSED, "Nothing listens at " + remoteAddress() + ".");
        } else {
            boolean _ = fail(
                    ConnectionState.REJECTED,
                    ConnectionException.Kind.REJECTED,
                    "The program at " + remoteAddress() + " rejected the connection"
                            + (event.status() == CONSUMER || refused ? "." : " (status " + event.status() + ")."));
        }
    }

    private void fail(ConnectionException.Kind kind, String sentence) {
        boolean accepting =
                queuePair.state().maySend() || manager.rnic().facts().iwarp();
        boolean _ = fail(ConnectionState.FAILED, kind, sentence);
        if (accepting) {
            queuePair.states().failed();
        }
    }

    // The end.

    @Override
    public void failed(String sentence) {
        if (state() == ConnectionState.ESTABLISHED) {
            boolean _ = move(ConnectionState.FAILED, sentence);
            survivor.ifPresent(each -> manager.later(each::end));
            later(this::disconnectNow);
        }
    }

    private void disconnectNow() {
        if (disconnecting.compareAndSet(false, true)) {
            int _ = manager.libraries().attempt(NativeFunction.DISCONNECT, shared.id());
        }
    }

    private void onDisconnected() {
        // A failure that the adapter has reported came first, though its descriptor may be served after this one.
        manager.rnic().readAsyncEvents();
        if (queuePair.hasUnseenFailure()) {
            failed("Work of the queue pair failed, and the peer closed the connection.");
        }
        closedByPeer();
    }

    /** The peer has closed the connection, or this side has and the peer knows. */
    void closedByPeer() {
        later(this::disconnectNow);
        queuePair.states().failed();
        if (move(ConnectionState.CLOSED, "The connection was closed.")) {
            manager.rnic()
                    .raise(new AsyncEvent(
                            AsyncEventType.CLOSE_COMPLETE, queuePair, "The connection was closed gracefully."));
        }
    }

    @Override
    public void disconnect() {
        if (!moveFrom(ConnectionState.ESTABLISHED, ConnectionState.CLOSING)) {
            return;
        }
        finish();
    }

    private void finish() {
        later(() -> {
            // Posted work is sent first, as far as the program polls its completions.
            changed().awaitUninterruptibly(() -> queuePair.sends().outstanding() == 0, DRAIN_NS);
            SurvivingQueues queues = queuePair.surviving();
            if (queues != null) {
                queues.farewell(FAREWELL_NS);
            }
            disconnectNow();
        });
    }

    /** Another transport carries it: a close that has begun without one goes on. */
    void onResumed() {
        if (state() == ConnectionState.CLOSING) {
            finish();
        }
    }

    @Override
    public void close() {
        disconnect();
        if (state() == ConnectionState.CLOSING && !manager.rnic().mustNotWait()) {
            changed().awaitUninterruptibly(() -> state().ended(), CLOSE_NS);
        }
        abort();
    }

    @Override
    public Kind kind() {
        return Kind.CONNECTION;
    }

    @Override
    public void end() {
        close();
    }

    @Override
    public void abort() {
        boolean settingUp = state() == ConnectionState.CONNECTING;
        if (destroyId() && (wasEstablished() || queuePair.state().maySend())) {
            queuePair.states().failed();
        }
        boolean _ = move(
                settingUp ? ConnectionState.FAILED : ConnectionState.CLOSED, "The connection was closed by this side.");
    }

    /** Returns whether the id was not destroyed before. */
    private boolean destroyId() {
        boolean first = destroyed.compareAndSet(false, true);
        if (first) {
            manager.unwatch(id, this);
            survivor.ifPresent(AdapterSurvivor::end);
            shared.end();
        }
        return first;
    }

    // Another id carries it after the transport has failed.

    boolean isOpen() {
        return state() == ConnectionState.ESTABLISHED;
    }

    /** The id that carried it is left: the peer gets to know that, if it can be reached. */
    void leaveId() {
        manager.unwatch(id, this);
        shared.end();
    }

    /** Another id carries it. */
    void adopt(SharedId next, SocketAddress local, SocketAddress remote) {
        shared = next;
        addresses(local, remote);
    }

    /** What carries it, for people. */
    String carrierText() {
        return transport() + " from " + AddressText.of(localAddress()) + " to " + peerText();
    }

    /** It cannot be continued. */
    void lost(String sentence) {
        boolean _ = move(ConnectionState.FAILED, sentence);
    }

    // What the program sees.

    @Override
    protected boolean rnicEnded() {
        return manager.rnic().closed();
    }

    @Override
    protected SerialRunner newRunner() {
        return manager.rnic().newRunner();
    }

    @Override
    public boolean survives() {
        return survivor.filter(AdapterSurvivor::survives).isPresent();
    }

    @Override
    public TransportChanges transportChanges() {
        return survivor.map(AdapterSurvivor::changes).orElse(TransportChanges.NONE);
    }

    @Override
    public void migrate() {
        if (!survives()) {
            super.migrate();
            return;
        }
        survivor.orElseThrow().migrate();
    }

    @Override
    public TransportType transport() {
        return manager.rnic().facts().transport();
    }

    @Override
    public Optional<Termination> termination() {
        return Optional.empty();
    }
}
