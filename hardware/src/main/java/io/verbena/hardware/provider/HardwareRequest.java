package io.verbena.hardware.provider;

import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.survival.AdapterAgreement;
import io.verbena.hardware.provider.survival.SurvivalTerms;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.QueuePair;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request of a peer for a connection. */
class HardwareRequest implements ConnectionRequest, CmMember {

    /** Private data that a reject of InfiniBand can carry. */
    private static final int REJECT_BYTES = 148;

    private final ConnectionManager manager;
    private final CmEvent event;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final AtomicBoolean answered = new AtomicBoolean();

    HardwareRequest(ConnectionManager manager, CmEvent event) {
        this.manager = manager;
        this.event = event;
        local = SocketAddressCodec.read(event.id() + RdmaCmId.SRC_ADDR);
        remote = SocketAddressCodec.read(event.id() + RdmaCmId.DST_ADDR);
        manager.watch(event.id(), this);
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
        byte[] data = event.privateData();
        return asked() ? AdapterAgreement.programData(data) : data.clone();
    }

    /** Whether the peer asks for a connection that survives its transport. */
    private boolean asked() {
        return AdapterAgreement.of(event.privateData(), 0).isPresent();
    }

    @Override
    public int inboundReads() {
        return event.terms().inboundReads();
    }

    @Override
    public int outboundReads() {
        return event.terms().outboundReads();
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        HardwareQueuePair hardwareQueuePair = HardwareQueuePair.unused(queuePair, manager.rnic());
        HardwareConnection.check(
                options, hardwareQueuePair, manager.rnic().facts().maxPrivateDataBytes());
        answer();
        hardwareQueuePair.states().agree(event.terms());
        Optional<SurvivalTerms> survival = options.survival()
                .filter(_ -> asked() && HardwareConnection.survivable(manager))
                .map(wanted -> new SurvivalTerms(wanted, Optional.empty()));
        HardwareConnection connection =
                new HardwareConnection(manager, hardwareQueuePair, event.id(), options, survival);
        connection.accept(survival.isPresent() ? event.privateData() : privateData());
        return connection;
    }

    /** Rejects a request of another device: a listener at the wildcard address gets those of all. */
    private void checkDevice() {
        String device = ConnectionManager.deviceOf(event.id());
        if (!device.equals(manager.rnic().facts().name())) {
            reject(new byte[0]);
            throw new IllegalStateException(
                    "The request arrived at the device " + device + ", and the queue pair belongs to "
                            + manager.rnic().facts().name() + "; listen at an address of that device.");
        }
    }

    @Override
    public void reject(byte[] privateData) {
        if (privateData.length > maxRejectBytes()) {
            throw new IllegalArgumentException("the private data of a reject have at most " + maxRejectBytes()
                    + " bytes, not " + privateData.length);
        }
        decide();
        rejectNow(privateData);
    }

    /** Private data that a reject of this request can carry. */
    int maxRejectBytes() {
        return REJECT_BYTES;
    }

    @Override
    public final Kind kind() {
        return Kind.REQUEST;
    }

    @Override
    public void onEvent(CmEvent next) {
        // The peer may have given up; the answer finds that out.
    }

    /** The RNIC or the listener is closing; the program may have taken the request and failed before its answer. */
    @Override
    public void end() {
        if (answered.compareAndSet(false, true)) {
            rejectNow(new byte[0]);
        }
    }

    private void rejectNow(byte[] privateData) {
        manager.unwatch(event.id(), this);
        manager.reject(event.id(), privateData);
    }

    /** Takes the decision about the request, which is rejected if it arrived at another device. */
    final void answer() {
        checkDevice();
        decide();
    }

    private void decide() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request has been answered");
        }
        manager.unwatch(event.id(), this);
    }
}
