package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.cm.CmAgent;
import io.verbena.ib.cm.CmPort;
import io.verbena.ib.cm.CmRecord;
import io.verbena.ib.packet.ManagementPort;
import io.verbena.ib.packet.MulticastGroups;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.unreliable.AddressHandles;
import io.verbena.ib.unreliable.RawEngine;
import io.verbena.ib.unreliable.RawSteering;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.ib.port.ContextEndpoint;
import io.verbena.rnic.ib.port.ContextTable;
import io.verbena.rnic.ib.port.Framing;
import io.verbena.rnic.ib.port.NumberedTargets;
import io.verbena.rnic.ib.port.PacketReception;
import io.verbena.rnic.ib.port.PacketTarget;
import io.verbena.rnic.ib.port.PortAddresses;
import io.verbena.rnic.ib.port.PortInlet;
import io.verbena.rnic.ib.port.PortSender;
import io.verbena.rnic.ib.terms.PortLimits;
import io.verbena.text.AddressText;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The packet port of an RNIC. It distributes received packets by queue pair number. The first engine owns the port: it receives all packets, and
 * serves connection management. Queue pairs are spread over the engines; each engine sends what its queue pairs build.
 *
 * <pre>
 *                 engine 0
 *   PacketPort -+---------------------- Admission -+-> ManagementQueuePair (number 1) --+
 *               |                                  +-> InfinibandQueuePair (by number) -+-> PortSender --> PacketPort
 *               |                 engine 1, 2, ..
 *               +-> PacketPassage --> PortInlet, Admission --> InfinibandQueuePair ------> PortSender --> PacketSender
 * </pre>
 *
 * <p>Over 500 lines: it joins the parts of the port, and their imports are a tenth of it.
 */
final class InfinibandPort extends Endpoint implements PacketEvents {

    /** A peer that has not answered a message of connection management within 0.5 s gets it again. */
    private static final int CM_RESPONSE_CODE = 17;

    /**
     * Two minutes, as long as TCP repeats a SYN. A peer without a processor, or one whose system has just started, answers late, and the time of
     * the set-up itself is that which the application states.
     */
    private static final int CM_RETRIES = 223;

    /**
     * Requests of peers that wait for the applications of all listeners. More than the backlog of a listener, which makes space for a
     * peer of another network when it is full: this limit would refuse every peer.
     */
    private static final int MOST_WAITING_REQUESTS = 1 << 14;

    /** Addresses of peers whose port is gone. */
    private static final int MOST_REPORTS = 1 << 10;

    private static final int MOST_ADDRESS_HANDLES = 1 << 14;

    private final RnicContext context;
    private final RnicEngine engine;
    private final PacketPort packets;
    private final PortAddresses addresses;
    private final PortLimits limits;
    private final Framing framing;
    private final ManagementQueuePair management;
    private final ContextTable contexts = new ContextTable();
    private final NumberedTargets carriages = new NumberedTargets();
    private volatile boolean reliableDatagrams;

    /** Steps that other threads have submitted and that have not run. */
    private final AtomicInteger steps = new AtomicInteger();

    private final AddressHandles addressHandles = new AddressHandles(MOST_ADDRESS_HANDLES);

    /** By engine. */
    private final PortSender[] senders;

    /** By engine; the first one needs none. */
    private final PortInlet[] inlets;

    /** When the system of a peer has reported last that no process has its port. Any thread reads it. */
    private final Map<InetAddress, Long> goneNs = new ConcurrentHashMap<>();

    private boolean closed;
    private volatile String fault = "";

    // Receiving.
    private final PacketBatch batch;
    private final PacketReception reception;
    private final MulticastGroups<InfinibandQueuePair> groups = new MulticastGroups<>();
    private final RawSteering<InfinibandQueuePair> steering = new RawSteering<>();

    /**
     * Opens the port of an RNIC whose engines are not driven yet.
     *
     * @param own the addresses: the first one, and further ones for paths of connections
     * @param carrier makes the framing of a port with this local address
     * @param record of the connections of the port
     */
    InfinibandPort(
            RnicContext context, List<InetAddress> own, Function<InetSocketAddress, Framing> carrier, CmRecord record)
            throws IOException {
        this.context = context;
        engine = context.engine(0);
        batch = engine.buffers().packetBatch();
        InfinibandOptions options = context.options().infiniband();
        addresses = new PortAddresses(carrier, () -> engine.ready(this));
        addresses.open(context.environment().packets(engine.index()), own, options.udpPort(), this);
        packets = addresses.first();
        limits =
                new PortLimits(options, packets.receiveBufferBytes(), packets.showsTrafficClass(), addresses.further());
        InetSocketAddress local = packets.localAddress();
        long high = Addresses.high(local.getAddress());
        long low = Addresses.low(local.getAddress());
        framing = addresses.framing(0);
        reception = new PacketReception(context, engine, framing, carriages);
        senders = new PortSender[context.options().engines()];
        inlets = new PortInlet[senders.length];
        senders[0] = addresses.sender(engine, this::broke);
        CmPort.Address stated = new CmPort.Address(
                high, low, context.environment().random().nextLong(), local.getPort(), Bth.DEFAULT_P_KEY);
        CmPort port = new CmPort(stated, CM_RESPONSE_CODE, CM_RETRIES, MOST_WAITING_REQUESTS, true, framing::owns);
        management = new ManagementQueuePair(
                engine, senders[0], new CmAgent(port, context.environment().random(), record), context::changed);
        engine.join(this);
        engine.join(management);
        management.endEarlier();
        for (int i = 1; i < senders.length; i++) {
            extend(context.engine(i));
        }
    }

    /** A further engine serves queue pairs of the port. */
    private void extend(RnicEngine other) throws IOException {
        int index = other.index();
        senders[index] = addresses.sender(
                other, to -> run(other, () -> onUnreachable(to)), reason -> run(other, () -> broke(reason)));
        PacketReception itsReception = new PacketReception(context, other, addresses.framing(0), carriages);
        inlets[index] = new PortInlet(other, itsReception, reason -> run(other, () -> broke(reason)));
        other.join(senders[index]);
        other.join(inlets[index]);
    }

    /** IP address of the RNIC. Any thread. */
    InetAddress address() {
        return packets.localAddress().getAddress();
    }

    /** The address of a peer, if it can be one: an IP address, and not a name. */
    static Optional<InetSocketAddress> resolved(SocketAddress address) {
        return address instanceof InetSocketAddress internet && !internet.isUnresolved()
                ? Optional.of(internet)
                : Optional.empty();
    }

    /** Why a connection to this address fails, which is not {@link #resolved}. */
    static String unresolved(SocketAddress address) {
        return address instanceof InetSocketAddress
                ? "Cannot connect to " + AddressText.of(address) + ": the host name has no known address."
                : "Cannot connect to " + AddressText.of(address) + ": an IP address and a port are required.";
    }

    /** The path to a peer. Any thread. */
    PacketPath path(InetSocketAddress peer, int trafficClass) {
        return framing.path(peer.getAddress(), trafficClass);
    }

    /** Whether a peer may name an address as one of its own. Any thread. */
    boolean belongsToPeer(PacketPath proven, PacketPath named) {
        return framing.belongsToPeer(proven, named.addressHigh(), named.addressLow());
    }

    /** The path that an address handle describes. Any thread. */
    PacketPath path(AddressHandleAttributes to) {
        return framing.path(to);
    }

    /** Any thread. */
    PortLimits limits() {
        return limits;
    }

    /** Why the port works no more; empty while it does. Any thread. */
    String fault() {
        return fault;
    }

    /** Any thread. */
    RnicContext context() {
        return context;
    }

    /** Runs a step on the engine of the port. Any thread. */
    void submit(Runnable step) {
        steps.incrementAndGet();
        boolean submitted = false;
        try {
            engine.submit(() -> {
                try {
                    step.run();
                } finally {
                    stepEnded();
                }
            });
            submitted = true;
        } finally {
            if (!submitted) {
                steps.decrementAndGet();
            }
        }
    }

    private void stepEnded() {
        if (steps.decrementAndGet() == 0) {
            context.changed();
        }
    }

    /** Whether no peer may repeat its DREQ because the answer was lost. Any thread. */
    boolean answersArrived() {
        return !fault.isEmpty() || engine.failed() || management.answersArrived();
    }

    /** Whether all messages of connection management have left and all DREQs are answered. Any thread. */
    boolean peersNotified() {
        // The steps first: one of them may lead to a message.
        return !fault.isEmpty() || engine.failed() || steps.get() == 0 && management.idle();
    }

    /** Whether a queue pair of this engine and connection management share an engine. */
    boolean ownedBy(RnicEngine other) {
        return other == engine;
    }

    /** Runs a step on the engine of the port: at once if it is the calling engine. */
    void run(RnicEngine caller, Runnable step) {
        if (ownedBy(caller)) {
            step.run();
        } else if (!context.stopped()) {
            submit(step);
        }
    }

    /** What an engine sends with. */
    PortSender sender(RnicEngine of) {
        return senders[of.index()];
    }

    /** The destinations of datagrams. Any thread. */
    AddressHandles addressHandles() {
        return addressHandles;
    }

    /** The end-to-end contexts of reliable datagrams. */
    ContextTable contexts() {
        return contexts;
    }

    /** The connections of another transport that this port carries. Any thread. */
    NumberedTargets carriages() {
        return carriages;
    }

    /** The engine that owns the port. */
    RnicEngine engine() {
        return engine;
    }

    /** Peers can request contexts from now on. Any thread. */
    void acceptContexts() {
        reliableDatagrams = true;
    }

    /** Whether the RNIC has had a reliable datagram domain. */
    boolean reliableDatagrams() {
        return reliableDatagrams;
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
    public void onRefused(InetSocketAddress destination) {
        if (goneNs.size() >= MOST_REPORTS) {
            goneNs.clear(); // connections send again, and reports come again
        }
        goneNs.put(destination.getAddress(), engine.nowNs());
        onUnreachable(destination);
    }

    /** Whether a report since a time says that no process has the port of a peer. Any thread. */
    boolean reportedGone(PacketPath path, long sinceNs) {
        if (goneNs.isEmpty()) {
            return false;
        }
        Long reportedNs = goneNs.get(Addresses.address(path.addressHigh(), path.addressLow()));
        return reportedNs != null && reportedNs - sinceNs > 0;
    }

    @Override
    protected void service(long nowNs) {
        if (closed) {
            return;
        }
        senders[0].service(nowNs);
        try {
            receive(nowNs);
        } catch (IOException e) {
            broke(e.toString());
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
            if (inlets.length == 1 || !passOn(i)) {
                i = take(i, nowNs);
            }
        }
        for (int address = 1; address < addresses.count(); address++) {
            receiveAt(address, nowNs);
        }
        for (int i = 1; i < inlets.length; i++) {
            inlets[i].publish();
        }
    }

    /** Packets of connections only: management and datagrams have the first address. */
    private void receiveAt(int address, long nowNs) throws IOException {
        batch.reset();
        int count = addresses.receive(address, batch);
        for (int i = 0; i < count; i++) {
            boolean here = inlets.length == 1 || !passOn(i);
            if (here
                    && reception.admits(batch, i)
                    && reception.packet().opcode().service() == Service.RC) {
                reception.deliverOne(reception.packet().bth().destQp(), batch, nowNs);
            }
        }
    }

    /** Hands over a packet for a queue pair of another engine, which checks it. */
    private boolean passOn(int index) {
        int number = framing.destination(batch, index);
        PacketTarget target = reception.find(number);
        if (target != null && !ownedBy(target.engine())) {
            inlets[target.engine().index()].add(batch, index, number);
            return true;
        }
        return false;
    }

    /** Takes a packet, and those after it that continue it. Returns the index of the last one. */
    private int take(int index, long nowNs) {
        if (!reception.admits(batch, index)) {
            return index;
        }
        if (reception.packet().opcode().service() == Service.RD) {
            toContext(nowNs);
            return index;
        }
        int number = reception.packet().bth().destQp();
        if (number != ManagementPort.QUEUE_PAIR
                && number != UdEngine.MULTICAST_QP
                && number != RawEngine.ANY_QUEUE_PAIR) {
            return reception.deliver(number, batch, index, nowNs);
        }
        takeSpecial(number, index, nowNs);
        return index;
    }

    /** A packet for connection management, for a group, or without a destination. */
    private void takeSpecial(int number, int index, long nowNs) {
        Origin origin = reception.origin();
        if (number == ManagementPort.QUEUE_PAIR) {
            management.onPacket(reception.packet(), batch.slab().segment(), origin, nowNs);
        } else if (number == UdEngine.MULTICAST_QP) {
            for (int i = groups.members(origin.targetHigh(), origin.targetLow()) - 1; i >= 0; i--) {
                takeShared(groups.member(origin.targetHigh(), origin.targetLow(), i), index, nowNs);
            }
        } else {
            Optional<InfinibandQueuePair> target =
                    steering.find(reception.packet(), batch.slab().segment());
            if (target.isPresent()) {
                takeShared(target.get(), index, nowNs);
            }
        }
    }

    /** The packet of a reliable datagram belongs to a context, which finds the queue pair itself. */
    private void toContext(long nowNs) {
        ContextEndpoint target = contexts.find(reception.packet().rdeth().eeContext());
        if (target != null && reception.admitsToContext(Bth.DEFAULT_P_KEY)) {
            try {
                target.onPacket(reception.packet(), batch.slab().segment(), reception.origin(), nowNs);
            } catch (Throwable e) {
                RnicEngine.fail(target, "receiving a packet", e, nowNs);
            }
        }
    }

    /** A packet whose destination is not the number of a queue pair. */
    private void takeShared(InfinibandQueuePair member, int index, long nowNs) {
        if (ownedBy(member.engine())) {
            reception.deliver(member, batch, nowNs);
        } else {
            inlets[member.engine().index()].add(batch, index, member.queuePair().number());
        }
    }

    /** The queue pairs that receive raw datagrams. On the engine. */
    RawSteering<InfinibandQueuePair> steering() {
        return steering;
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

    @Override
    public void onWritable() {
        engine.ready(this);
    }

    // The end.

    /** The port is broken. That is reported when the port is served, since a queue pair may be sending now. */
    private void broke(String reason) {
        fault = "The packet port of the RNIC failed: " + reason;
        engine.ready(this);
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        fail(sentence);
    }

    /** No packet is sent or received any more: the RNIC is closed, or the port has failed. */
    private void fail(String sentence) {
        closed = true;
        fault = sentence;
        engine.leave(this);
        engine.leave(management);
        senders[0].close();
        addresses.close();
        if (!engine.failed()) {
            context.fatal(sentence); // the RNIC reports the failure of an engine
        }
        contexts.forEach(each -> each.fail(sentence));
        for (int i = 1; i < senders.length; i++) {
            closeOn(context.engine(i));
        }
        context.forEachEndpoint(each -> {
            if (each instanceof InfinibandQueuePair queuePair
                    && !queuePair.state().failed()) {
                fail(queuePair, sentence);
            }
        });
    }

    private void closeOn(RnicEngine other) {
        if (!context.stopped()) {
            other.submit(() -> {
                senders[other.index()].close();
                inlets[other.index()].close();
            });
        }
    }

    private void fail(InfinibandQueuePair queuePair, String sentence) {
        if (ownedBy(queuePair.engine())) {
            queuePair.fail(sentence);
        } else {
            queuePair.command(() -> queuePair.fail(sentence));
        }
    }

    @Override
    protected long stateDigest() {
        return closed ? 1 : 0;
    }
}
