package io.verbena.rnic.ib;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.RcEngine;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcSettings;
import io.verbena.port.Addresses;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.ib.port.PacketTarget;
import io.verbena.rnic.ib.port.PortSender;
import io.verbena.rnic.ib.port.PortWait;
import io.verbena.rnic.ib.terms.CarriageOffer;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Figures;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection that carries the messages of a queue pair of another transport. It has a queue pair number of
 * its own, so that packets of an earlier one find nothing.
 *
 * <p>Until a packet of the peer has arrived, this side sends only empty requests, which the peer answers without any
 * effect: the peer has named its address itself, and packets may not get there.
 */
final class RcCarriage implements PacketCarriage, PacketTarget, Admission.Target {

    /** Between the packets that are sent until the first one of the peer arrives. */
    private static final long PROBE_NS = 20_000_000L;

    /** The first time-out of a request. With its doublings, five of them fit half a second. */
    private static final long ACK_TIMEOUT_NS = 16_777_216L;

    /** Time-outs without an answer before the patience decides. */
    private static final int RETRIES = 2;

    private final InfinibandPort port;
    private final QueuePairEndpoint endpoint;
    private final int firstReceivePsn;
    private final PortSender sender;
    private final PortWait wait;
    private final Liveness liveness = new Liveness();
    private int number;

    // From the begin on.
    private volatile @Nullable RcEngine protocol;
    private @Nullable PacketPath path;
    private boolean arrived;
    private long arriveByNs = Times.NEVER;
    private long probeAtNs = Times.NEVER;
    private boolean unreachable;
    private boolean over;

    private RcCarriage(InfinibandPort port, QueuePairEndpoint endpoint) {
        this.port = port;
        this.endpoint = endpoint;
        firstReceivePsn = port.context().environment().random().nextInt() & Psn.MASK;
        sender = port.sender(endpoint.engine());
        wait = new PortWait(endpoint);
    }

    /** Prepares a carriage; empty if the port does not work, or carries as many as it can. */
    static Optional<RcCarriage> prepare(InfinibandPort port, QueuePairEndpoint endpoint) {
        if (!port.fault().isEmpty()) {
            return Optional.empty();
        }
        RcCarriage carriage = new RcCarriage(port, endpoint);
        OptionalInt free =
                port.carriages().add(carriage, port.context().environment().random());
        if (free.isEmpty()) {
            return Optional.empty();
        }
        carriage.number = free.getAsInt();
        return Optional.of(carriage);
    }

    @Override
    public byte[] offer() {
        byte[] bytes = new byte[CarriageOffer.LENGTH];
        new CarriageOffer()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .mtuCode(port.limits().mtuCode())
                .queuePair(number)
                .extensions(port.limits().offers())
                .firstPsn(firstReceivePsn)
                .address(Addresses.high(port.address()), Addresses.low(port.address()));
        return bytes;
    }

    @Override
    public boolean begin(byte[] peer, Terms terms) {
        if (!CarriageOffer.fits(peer.length)) {
            return false;
        }
        CarriageOffer offer = new CarriageOffer().wrap(MemorySegment.ofArray(peer), 0);
        if (!offer.valid() || !usable(offer.addressHigh(), offer.addressLow())) {
            return false;
        }
        InetAddress address = Addresses.address(offer.addressHigh(), offer.addressLow());
        PacketPath to = port.path(
                new InetSocketAddress(address, 0), port.limits().options().trafficClass());
        RcSettings settings = port.limits()
                .carriage(offer)
                .local(number)
                .firstPsns(offer.firstPsn(), firstReceivePsn)
                .reads(terms.outboundReads(), terms.inboundReads())
                .retries(RETRIES, terms.notReadyRetries().orElse(RcSettings.UNLIMITED))
                .ackTimeoutNs(ACK_TIMEOUT_NS)
                .patienceNs(terms.silenceNs())
                .reliableConnection();
        QueuePairWork work = QueuePairWork.of(endpoint.workContext(), Optional.of(terms.work()));
        RcEngine begun = new RcEngine(settings, work, to, Bth.DEFAULT_P_KEY);
        begun.readyToSend(settings);
        begun.drain(true);
        long nowNs = endpoint.engine().nowNs();
        liveness.start(terms.silenceNs(), terms.silenceNs(), nowNs);
        arriveByNs = Times.after(nowNs, terms.silenceNs());
        probeAtNs = nowNs;
        path = to;
        protocol = begun;
        return true;
    }

    /** Whether an address is one of a single host, and of the same version of IP as that of the port. */
    private boolean usable(long high, long low) {
        boolean sameVersion = PacketPath.ipv4(high, low)
                == PacketPath.ipv4(Addresses.high(port.address()), Addresses.low(port.address()));
        InetAddress address = Addresses.address(high, low);
        return sameVersion && !address.isAnyLocalAddress() && !address.isMulticastAddress();
    }

    // Packets.

    @Override
    public RnicEngine engine() {
        return endpoint.engine();
    }

    @Override
    public boolean admits(IbPacket packet, Admission admission) {
        return protocol != null && !over && admission.admit(packet, this) == Admission.Outcome.ADMITTED;
    }

    /** Each request is counted by itself. */
    @Override
    public boolean takesRun(Origin origin, int psn) {
        return false;
    }

    @Override
    public int onRun(PacketRun run) {
        return 0;
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        RcEngine current = protocol;
        if (current == null || over) {
            return;
        }
        if (current.knows(origin)) {
            liveness.onReceived(nowNs);
            if (!arrived) {
                arrived = true;
                current.drain(false);
            }
        }
        current.onPacket(packet, segment, origin, nowNs);
        endpoint.engine().ready(endpoint);
    }

    @Override
    public void bug(String where, Throwable e) {
        endpoint.bug(where, e);
    }

    @Override
    public Service service() {
        return Service.RC;
    }

    @Override
    public boolean takesRequests() {
        return true;
    }

    @Override
    public boolean takesResponses() {
        return true;
    }

    @Override
    public int pKey() {
        return Bth.DEFAULT_P_KEY;
    }

    @Override
    public int qKey() {
        return 0;
    }

    // Turns.

    @Override
    public void service(long nowNs) {
        RcEngine current = protocol;
        if (current == null || over || sender.defers(wait)) {
            return;
        }
        if (current.suspended()) {
            current.resume();
        }
        if (current.hasTransmitWork(nowNs)) {
            sender.transmit(current, nowNs);
        }
        if (current.suspended()) {
            endpoint.engine().awaitMemory(endpoint);
        } else if (current.hasTransmitWork(nowNs)) {
            endpoint.engine().ready(endpoint);
        }
    }

    @Override
    public long nextDeadlineNs() {
        RcEngine current = protocol;
        if (current == null || over) {
            return Times.NEVER;
        }
        long peerNs = arrived ? liveness.nextDeadlineNs() : Times.earlier(arriveByNs, probeAtNs);
        return Times.earlier(current.nextDeadlineNs(), peerNs);
    }

    @Override
    public void onDeadline(long nowNs) {
        RcEngine current = protocol;
        if (current == null || over) {
            return;
        }
        if (!arrived) {
            unreachable = Times.due(arriveByNs, nowNs);
            probeAtNs = Times.after(nowNs, PROBE_NS);
            current.probe();
        }
        boolean gone = path != null && port.reportedGone(path, liveness.heardNs());
        if (gone) {
            current.portGone();
        }
        current.onDeadline(nowNs);
        if (!arrived || current.failure().isPresent()) {
            return;
        }
        switch (liveness.onDeadline(current.answersOwed(), gone, nowNs)) {
            case PROBE -> current.probe();
            case LOST -> current.peerLost("The peer was silent, and did not answer probes.");
            case NOTHING -> {}
        }
    }

    @Override
    public void peerRights(Set<AccessRight> rights) {
        RcEngine current = protocol;
        if (current != null) {
            current.peerRights(rights);
        }
    }

    @Override
    public boolean answersOwed() {
        RcEngine current = protocol;
        return current != null && current.answersOwed();
    }

    @Override
    public Optional<AsyncEventType> pollEvent() {
        RcEngine current = protocol;
        return current == null ? Optional.empty() : current.pollEvent();
    }

    // The end.

    @Override
    public Optional<End> ended() {
        if (unreachable && !arrived) {
            return Optional.of(new End(true, "No packet of the peer has arrived.", Optional.empty()));
        }
        RcEngine current = protocol;
        Optional<Failure> failure = current == null ? Optional.empty() : current.failure();
        return failure.map(it -> new End(it.status() == CompletionStatus.RETRY_EXCEEDED, it.sentence(), it.event()));
    }

    @Override
    public void end(String sentence) {
        if (over) {
            return;
        }
        over = true;
        port.carriages().remove(number);
        RcEngine current = protocol;
        if (current == null) {
            return;
        }
        current.abort(sentence);
        current.detach();
        // What the program has seen as received is acknowledged, or the refused request answered.
        long nowNs = endpoint.engine().nowNs();
        if (arrived && !sender.blocked() && current.hasTransmitWork(nowNs)) {
            sender.transmit(current, nowNs);
            sender.flush();
        }
    }

    @Override
    public boolean flush() {
        RcEngine current = protocol;
        return current == null ? endpoint.queues().flush(CompletionStatus.FLUSHED) : current.flush();
    }

    @Override
    public void describePath(Figures.Builder figures) {
        RcEngine current = protocol;
        if (current != null) {
            PathFigures.add(figures, current);
        }
    }

    @Override
    public long stateDigest() {
        RcEngine current = protocol;
        long digest = Digest.mix(number, Digest.flags(arrived, unreachable, over));
        return current == null ? digest : liveness.stateDigest(Digest.mix(digest, current.stateDigest()));
    }
}
