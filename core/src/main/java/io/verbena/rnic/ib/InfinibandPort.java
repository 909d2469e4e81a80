package io.verbena.rnic.ib;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.AddressHandles;
import io.verbena.ib.Admission;
import io.verbena.ib.ManagementPort;
import io.verbena.ib.MulticastGroups;
import io.verbena.ib.Origin;
import io.verbena.ib.PacketBuilder;
import io.verbena.ib.QueuePairEngine;
import io.verbena.ib.UdEngine;
import io.verbena.ib.cm.CmAgent;
import io.verbena.ib.cm.CmPort;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.rnic.RnicContext;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The packet port of an RNIC. It distributes received packets by queue pair number, and sends the packets that queue
 * pairs build. One engine owns the port, and with it all queue pairs of the RNIC.
 *
 * <pre>
 *                                  +--> ManagementQueuePair (number 1) <--+
 *   PacketPort --> Admission ------+                                      +--> PacketList --> PacketPort
 *                                  +--> InfinibandQueuePair (by number) <-+
 * </pre>
 */
final class InfinibandPort extends Endpoint implements PacketEvents, PacketOutlet {

    /** A peer that has not answered a message of connection management within 0.5 s gets it again, up to 15 times. */
    private static final int CM_RESPONSE_CODE = 17;

    private static final int CM_RETRIES = 15;
    private static final int MOST_WAITING_REQUESTS = 1024;
    private static final int MOST_ADDRESS_HANDLES = 1 << 14;

    private final RnicContext context;
    private final RnicEngine engine;
    private final PacketPort packets;
    private final PortLimits limits;
    private final Framing framing;
    private final ManagementQueuePair management;
    private final AddressHandles addressHandles = new AddressHandles(MOST_ADDRESS_HANDLES);

    // Sending.
    private final PacketList list;
    private final PacketBuilder builder;
    private final ArrayDeque<PortWait> deferred = new ArrayDeque<>();
    private boolean collecting;
    private int nextUnsent;
    private boolean blocked;
    private boolean closed;
    private String fault = "";

    // Receiving.
    private final PacketBatch batch;
    private final Admission admission = new Admission();
    private final MulticastGroups<InfinibandQueuePair> groups = new MulticastGroups<>();
    private final IbPacket packet = new IbPacket();
    private final Origin origin = new Origin();

    /**
     * Opens the port of an RNIC whose engines are not driven yet.
     *
     * @param carrier makes the framing of a port with this local address
     */
    InfinibandPort(RnicContext context, InetAddress address, Function<InetSocketAddress, Framing> carrier)
            throws IOException {
        this.context = context;
        engine = context.engine(0);
        list = engine.buffers().packetList();
        batch = engine.buffers().packetBatch();
        InfinibandOptions options = context.options().infiniband();
        packets = context.environment()
                .packets(engine.index())
                .open(new InetSocketAddress(address, options.udpPort()), this);
        limits = new PortLimits(options, packets.receiveBufferBytes(), packets.showsTrafficClass());
        InetSocketAddress local = packets.localAddress();
        long high = Addresses.high(local.getAddress());
        long low = Addresses.low(local.getAddress());
        framing = carrier.apply(local);
        builder = new PacketBuilder(list, framing.encapsulation());
        CmPort port = new CmPort(
                high,
                low,
                context.environment().random().nextLong(),
                local.getPort(),
                Bth.DEFAULT_P_KEY,
                CM_RESPONSE_CODE,
                CM_RETRIES,
                MOST_WAITING_REQUESTS,
                false);
        management = new ManagementQueuePair(
                engine, this, new CmAgent(port, context.environment().random()));
        engine.join(this);
        engine.join(management);
    }

    /** IP address of the RNIC. Any thread. */
    InetAddress address() {
        return packets.localAddress().getAddress();
    }

    /** An address that requires no look-up of names. */
    static InetSocketAddress resolved(SocketAddress address) {
        if (address instanceof InetSocketAddress internet && !internet.isUnresolved()) {
            return internet;
        }
        throw new IllegalArgumentException(
                "an IP address and a port are required, not " + address + "; resolve the name first");
    }

    /** The path to a peer. Any thread. */
    PacketPath path(InetSocketAddress peer, int trafficClass) {
        return framing.path(peer.getAddress(), trafficClass);
    }

    /** The path that an address handle describes. Any thread. */
    PacketPath path(AddressHandleAttributes to) {
        return framing.path(to);
    }

    /** Any thread. */
    PortLimits limits() {
        return limits;
    }

    /** Why the port works no more; empty while it does. On the engine. */
    String fault() {
        return fault;
    }

    /** Any thread. */
    RnicContext context() {
        return context;
    }

    /** Runs a step on the engine of the port. Any thread. */
    void submit(Runnable step) {
        engine.submit(step);
    }

    /** The destinations of datagrams. Any thread. */
    AddressHandles addressHandles() {
        return addressHandles;
    }

    /** Communication management. */
    ManagementQueuePair management() {
        return management;
    }

    // Receiving.

    @Override
    public void onReadable() {
        engine.ready(this);
    }

    @Override
    public void onUnreachable(InetSocketAddress destination) {
        // The report can be forged. On a connection, retries and timeouts decide.
        if (!closed) {
            management.onUnreachable(Addresses.high(destination.getAddress()), Addresses.low(destination.getAddress()));
        }
    }

    @Override
    protected void service(long nowNs) {
        if (closed) {
            return;
        }
        if (blocked) {
            sendRest();
        }
        try {
            receive(nowNs);
        } catch (IOException e) {
            broke(e);
        }
        if (!fault.isEmpty()) {
            fail(fault);
        }
    }

    private void receive(long nowNs) throws IOException {
        // One batch in a turn: the port reports what is left, and an empty call would delay what has arrived.
        batch.reset();
        int count = packets.receive(batch);
        for (int i = 0; i < count; i++) {
            take(i, nowNs);
        }
    }

    private void take(int index, long nowNs) {
        if (framing.admit(batch, index, admission, packet, origin) != Admission.Outcome.ADMITTED) {
            return;
        }
        int number = packet.bth().destQp();
        if (number == ManagementPort.QUEUE_PAIR) {
            management.onPacket(packet, batch.slab().segment(), origin, nowNs);
        } else if (number == UdEngine.MULTICAST_QP) {
            for (int i = groups.members(origin.targetHigh(), origin.targetLow()) - 1; i >= 0; i--) {
                deliver(groups.member(origin.targetHigh(), origin.targetLow(), i), nowNs);
            }
        } else if (context.endpoint(number) instanceof InfinibandQueuePair target) {
            deliver(target, nowNs);
        }
    }

    /** A bug in one queue pair must not affect the others. */
    private void deliver(InfinibandQueuePair target, long nowNs) {
        try {
            if (target.admits(packet, admission)) {
                target.onPacket(packet, batch.slab().segment(), origin, nowNs);
            }
        } catch (Throwable e) {
            target.bug("receiving a packet", e);
        }
    }

    // Multicast groups.

    /** A queue pair receives the datagrams of a group. */
    void join(InetAddress group, InfinibandQueuePair member) throws IOException {
        long high = Addresses.high(group);
        long low = Addresses.low(group);
        if (groups.attach(high, low, member)) {
            try {
                packets.join(group);
            } catch (IOException | RuntimeException e) {
                groups.detach(high, low, member);
                throw e;
            }
        }
    }

    /** A queue pair receives the datagrams of a group no more. */
    void leave(InetAddress group, InfinibandQueuePair member) throws IOException {
        if (groups.detach(Addresses.high(group), Addresses.low(group), member)) {
            packets.leave(group);
        }
    }

    // Sending.

    @Override
    public boolean blocked() {
        return blocked;
    }

    @Override
    public boolean defers(PortWait endpoint) {
        if (blocked && endpoint.begin()) {
            deferred.add(endpoint);
        }
        return blocked;
    }

    @Override
    public boolean send(Predicate<PacketBuilder> build) {
        openList();
        boolean built = build.test(builder);
        flush();
        return built;
    }

    /**
     * Collects what a protocol engine has to send, within the budget of a turn. The port is not blocked. The packets leave at
     * the end of the turn, because packets of several queue pairs to one peer can share a call of the port, or at once if
     * they fill one.
     */
    void transmit(QueuePairEngine from, long nowNs) {
        openList();
        engine.atTurnEnd(this);
        try {
            from.fillTransmit(builder, RnicEngine.BYTE_BUDGET, nowNs);
        } catch (Throwable e) {
            list.dropOpenPacket();
            throw e;
        }
        if (list.bytes() >= packets.groupBytes()) {
            flush();
        }
    }

    /** Empties the list, unless it has packets of this port that have not left. Several ports of a thread may share it. */
    private void openList() {
        if (!collecting) {
            collecting = true;
            list.reset(packets.groupPackets(), packets.groupBytes());
            nextUnsent = 0;
        }
    }

    @Override
    protected void onTurnEnd() {
        flush();
    }

    /** Sends what was collected. */
    void flush() {
        if (collecting && !blocked) {
            collecting = false;
            if (list.packets() > 0) {
                sendRest();
            }
        }
    }

    /** Sends the packets of the list that have not left yet. Whole packets are in the slab, so that they can wait. */
    private void sendRest() {
        try {
            nextUnsent = packets.send(list, nextUnsent);
        } catch (IOException e) {
            broke(e);
        }
        boolean now = nextUnsent < list.packets();
        collecting = now;
        if (now != blocked) {
            blocked = now;
            packets.wantWritable(now);
        }
        while (!blocked && !deferred.isEmpty()) {
            engine.ready(deferred.removeFirst().end());
        }
    }

    @Override
    public void onWritable() {
        engine.ready(this);
    }

    // The end.

    /** The port is broken. That is reported when the port is served, since a queue pair may be sending now. */
    private void broke(IOException e) {
        fault = "The packet port of the RNIC failed: " + e.getMessage();
        engine.ready(this);
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        fail(sentence);
    }

    /** No packet is sent or received any more: the RNIC is closed, or the port has failed. */
    private void fail(String sentence) {
        closed = true;
        blocked = true; // nothing is sent any more
        fault = sentence;
        engine.leave(this);
        engine.leave(management);
        packets.close();
        if (!engine.failed()) {
            context.fatal(sentence); // the RNIC reports the failure of an engine
        }
        context.forEachEndpoint(each -> {
            if (each instanceof InfinibandQueuePair queuePair
                    && !queuePair.state().failed()) {
                queuePair.fail(sentence);
            }
        });
    }

    @Override
    protected long stateDigest() {
        return (blocked ? 1 : 0) + 2L * deferred.size();
    }
}
