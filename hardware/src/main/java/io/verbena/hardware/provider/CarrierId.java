package io.verbena.hardware.provider;

import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.hardware.provider.cm.SharedId;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.net.SocketAddress;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The rdma_cm_id of a connection that has survived its first transport, or of an attempt to continue it. */
final class CarrierId implements CmMember {

    private final ConnectionManager manager;
    private final SharedId shared;
    private final boolean dialled;
    private final CmMember connection;
    private final BiConsumer<CarrierId, CmEvent> events;

    /**
     * An id whose events go to a survivor.
     *
     * @param dialled whether this side has made it, and not the peer
     * @param connection what ends with the RNIC
     */
    CarrierId(
            ConnectionManager manager,
            long id,
            boolean dialled,
            CmMember connection,
            BiConsumer<CarrierId, CmEvent> events) {
        this.manager = manager;
        this.dialled = dialled;
        this.connection = connection;
        this.events = events;
        shared = new SharedId(id, () -> manager.destroy(id));
        manager.watch(id, this);
    }

    long id() {
        return shared.id();
    }

    SharedId shared() {
        return shared;
    }

    boolean dialled() {
        return dialled;
    }

    void resolveAddress(SocketAddress to, ConnectionOptions options) {
        try (Arena arena = Arena.ofConfined()) {
            long target = CmParameters.address(arena, to);
            long source = options.localAddress()
                    .map(from -> CmParameters.address(arena, from))
                    .orElse(0L);
            manager.libraries()
                    .call(NativeFunction.RESOLVE_ADDR, id(), source, target, CmParameters.timeoutMs(options));
        }
    }

    void resolveRoute(ConnectionOptions options) {
        manager.libraries().call(NativeFunction.RESOLVE_ROUTE, id(), CmParameters.timeoutMs(options));
    }

    /** Sends a request, or accepts the one that has arrived. */
    void offer(HardwareQueuePair queuePair, ConnectionOptions options, byte[] data) {
        try (Arena arena = Arena.ofConfined()) {
            long parameters = CmParameters.connection(
                    arena,
                    data,
                    queuePair.number(),
                    queuePair.states().inboundReads(),
                    queuePair.states().outboundReads(),
                    options);
            manager.libraries().call(dialled ? NativeFunction.CONNECT : NativeFunction.ACCEPT, id(), parameters);
        }
    }

    /** The same on a thread that may wait for the network, as rdma_connect of iWARP does. */
    void offerLater(HardwareQueuePair queuePair, ConnectionOptions options, byte[] data, Consumer<String> onFailure) {
        manager.later(() -> shared.use(() -> {
            try {
                offer(queuePair, options, data);
            } catch (VerbsException e) {
                onFailure.accept(String.valueOf(e.getMessage()));
            }
        }));
    }

    void establish() {
        manager.libraries().call(NativeFunction.ESTABLISH, id());
    }

    /** Destroys the id now, or when no thread uses it any more. */
    void leave() {
        manager.unwatch(id(), this);
        shared.end();
    }

    @Override
    public Kind kind() {
        return Kind.CONNECTION;
    }

    @Override
    public void onEvent(CmEvent event) {
        events.accept(this, event);
    }

    @Override
    public void end() {
        connection.end();
    }
}
