package io.verbena.rnic.ib.terms;

import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmEndpoint;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmRetries;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.AddressPair;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.objects.ConnectionRules;
import io.verbena.port.Addresses;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.TransportService;
import io.verbena.wire.ib.CmaHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What one side contributes to a connection, and what the two sides agree on. Each side proposes the first PSN and the
 * retries after "receiver not ready" of the other side, and grants its Reads and atomics.
 */
public final class ConnectionTerms {

    /** Maximum private data of a reply. */
    public static final int MOST_REPLY_BYTES = 196;

    /** Transport services in a REQ. */
    private static final int RELIABLE = 0;

    private static final int UNRELIABLE = 1;

    /** Least and most packets in succession on one path. Over UDP they share a call of the system. */
    private static final int LEAST_BURST = 8;

    private static final int MOST_BURST = 64;

    /** A burst is at most this part of the packets that a path has of the window, 1 / 4. */
    private static final int BURST_PART = 4;

    private final PortLimits limits;
    private final QueuePairOptions queuePair;
    private final ConnectionOptions requested;
    private final int number;
    private final int firstReceivePsn;
    private final RandomSource random;
    private int mtuCode;

    /**
     * The terms of one side.
     *
     * @throws IllegalArgumentException with a sentence, if an option is out of range
     */
    public ConnectionTerms(
            SoftQueuePair queuePair, ConnectionOptions requested, PortLimits limits, int mostPrivateBytes) {
        this(
                queuePair.number(),
                queuePair.options(),
                queuePair.rnicContext().environment().random(),
                requested,
                limits,
                mostPrivateBytes);
    }

    public ConnectionTerms(
            int number,
            QueuePairOptions queuePair,
            RandomSource random,
            ConnectionOptions requested,
            PortLimits limits,
            int mostPrivateBytes) {
        this.number = number;
        this.queuePair = queuePair;
        this.random = random;
        firstReceivePsn = random.nextInt() & Psn.MASK;
        mtuCode = limits.mtuCode();
        this.requested = requested;
        this.limits = limits;
        ConnectionRules.check(requested, mostPrivateBytes);
    }

    public long timeoutNs() {
        return Times.nanos(requested.timeout());
    }

    /**
     * Reduces the path MTU to what the peer accepts.
     *
     * @return false if that is not an MTU, or not a smaller one
     */
    public boolean reduceMtu(int code) {
        boolean smaller = code >= 1 && code < mtuCode;
        mtuCode = smaller ? code : mtuCode;
        return smaller;
    }

    public int trafficClass() {
        return requested.trafficClass().orElse(limits.options().trafficClass());
    }

    public byte[] privateData() {
        return requested.privateData();
    }

    /** The service of a REQ. */
    public static TransportService service(int number) {
        return number == UNRELIABLE ? TransportService.UNRELIABLE_CONNECTION : TransportService.RELIABLE_CONNECTION;
    }

    private int retries() {
        return requested.retryCount().orElse(limits.options().retryCount());
    }

    private int receiverNotReadyRetries() {
        return requested.receiverNotReadyRetries().orElse(limits.options().receiverNotReadyRetries());
    }

    /** The field of the REQ of this side. */
    public byte[] request(InetSocketAddress local, PacketPath remote) {
        byte[] field = RequestData.of(local, remote, requested.privateData(), offers());
        return (offers() & PaddedData.PATHS) == 0 ? field : named(field, CmaHeader.LENGTH);
    }

    /** Names the further addresses of this side in a field. */
    private byte[] named(byte[] field, int first) {
        List<InetAddress> further = limits.furtherAddresses();
        return FurtherAddresses.name(field, first + requested.privateData().length, ipv4(further), further);
    }

    /** Whether addresses, which are of one kind, are those of IPv4. */
    private static boolean ipv4(List<InetAddress> addresses) {
        return addresses.stream().allMatch(each -> PacketPath.ipv4(Addresses.high(each), Addresses.low(each)));
    }

    /**
     * The further addresses of both sides.
     *
     * @param ownBytes length of the field of this side, without what precedes the private data
     * @param field of the peer
     * @param first bytes of it before the private data
     */
    private List<AddressPair> pairs(int ownBytes, byte[] field, int first, PacketPath peer) {
        int space = FurtherAddresses.space(ownBytes, requested.privateData().length, peer.ipv4());
        int named = Math.min(space, limits.furtherAddresses().size());
        return new FurtherAddresses(named, FurtherAddresses.named(field, first, peer.ipv4())).pairs(peer, random);
    }

    /** What this side offers to another Verbena. */
    public int offers() {
        boolean several = requested.paths() > 1 && queuePair.service() == TransportService.RELIABLE_CONNECTION;
        return limits.offers() | (several ? PaddedData.PATHS : PaddedData.NONE);
    }

    /**
     * Whether this side reports its posted receives to the peer. The receives of a shared queue do not belong to one
     * connection.
     */
    private boolean reportsCredits() {
        return queuePair.service() == TransportService.RELIABLE_CONNECTION
                && queuePair.sharedReceiveQueue().isEmpty();
    }

    /** The path of an agreed connection: routers may mark its packets if congestion control is agreed. */
    public static PacketPath path(PacketPath plain, RcSettings agreed) {
        boolean marked = agreed.options().contains(RcOption.CONGESTION_CONTROL)
                && PacketPath.ecn(plain.trafficClass()) == PacketPath.NOT_ECT;
        return marked
                ? new PacketPath(
                        plain.addressHigh(), plain.addressLow(), plain.port(), plain.trafficClass() | PacketPath.ECT_0)
                : plain;
    }

    /** The REQ of this side. */
    public CmOffer offer(long service, byte[] field) {
        return new CmOffer(
                service,
                queuePair.service() == TransportService.UNRELIABLE_CONNECTION ? UNRELIABLE : RELIABLE,
                endpoint(queuePair.inboundReads(), queuePair.outboundReads()),
                mtuCode,
                new CmRetries(retries(), receiverNotReadyRetries(), limits.ackTimeoutCode()),
                field);
    }

    /** The end of this side, with the given depths. */
    private CmEndpoint endpoint(int inboundReads, int outboundReads) {
        return new CmEndpoint(
                number,
                firstReceivePsn,
                inboundReads,
                outboundReads,
                reportsCredits(),
                queuePair.sharedReceiveQueue().isPresent());
    }

    /** The REP of this side. It states the extensions that are agreed on, not those that this side offers. */
    public CmAnswer answer(CmOffer peer) {
        int agreed = PaddedData.common(offers(), RequestData.offers(peer.privateData()));
        int stated = PaddedData.withExtensions(offers(), agreed);
        CmEndpoint endpoint = endpoint(
                Math.min(queuePair.inboundReads(), peer.endpoint().initiatorDepth()),
                Math.min(queuePair.outboundReads(), peer.endpoint().responderResources()));
        byte[] field = PaddedData.pad(requested.privateData(), MOST_REPLY_BYTES, stated);
        return new CmAnswer(
                endpoint, receiverNotReadyRetries(), (agreed & PaddedData.PATHS) == 0 ? field : named(field, 0));
    }

    /** What the side that sent the REQ has agreed on with the REP of the peer at this address. */
    public RcSettings agreed(CmAnswer peer, PacketPath at) {
        return agreed(
                        PortLimits.mtuBytes(mtuCode),
                        limits.ackTimeoutCode(),
                        PaddedData.offers(peer.privateData()),
                        peer.endpoint().reportsCredits())
                .remote(peer.endpoint().queuePair())
                .firstPsns(peer.endpoint().startingPsn(), firstReceivePsn)
                .reads(
                        Math.min(queuePair.outboundReads(), peer.endpoint().responderResources()),
                        Math.min(queuePair.inboundReads(), peer.endpoint().initiatorDepth()))
                .retries(retries(), peer.receiverNotReadyRetries())
                .addressPairs(pairs(RequestData.MOST_BYTES, peer.privateData(), 0, at))
                .reliableConnection();
    }

    /** What the side that accepts has agreed on with the REQ of the peer at this address. */
    public RcSettings agreed(CmOffer peer, PacketPath at) {
        return agreed(
                        PortLimits.mtuBytes(peer.mtuCode()),
                        peer.retries().ackTimeoutCode(),
                        RequestData.offers(peer.privateData()),
                        peer.endpoint().reportsCredits())
                .remote(peer.endpoint().queuePair())
                .firstPsns(peer.endpoint().startingPsn(), firstReceivePsn)
                .reads(
                        Math.min(queuePair.outboundReads(), peer.endpoint().responderResources()),
                        Math.min(queuePair.inboundReads(), peer.endpoint().initiatorDepth()))
                .retries(peer.retries().retries(), peer.retries().receiverNotReadyRetries())
                .addressPairs(pairs(MOST_REPLY_BYTES, peer.privateData(), CmaHeader.LENGTH, at))
                .reliableConnection();
    }

    private SettingsBuilder agreed(int mtuBytes, int ackTimeoutCode, int peerOffers, boolean peerReportsCredits) {
        int extensions = PaddedData.common(offers(), peerOffers);
        int window = (extensions & PaddedData.PATHS) != 0
                ? limits.windowPacketsOfPaths(mtuBytes, peerOffers)
                : limits.windowPackets(mtuBytes, peerOffers);
        return new SettingsBuilder()
                .options(options(extensions, peerReportsCredits))
                .paths(requested.paths())
                .pathBurst(Math.clamp(window / (BURST_PART * requested.paths()), LEAST_BURST, MOST_BURST))
                .local(number)
                .mtuBytes(mtuBytes)
                .ackTimeoutNs(PortLimits.timeoutNs(ackTimeoutCode))
                .keepAliveNs(Times.nanos(requested.keepAlive()))
                .patienceNs(Times.nanos(limits.options().patience()))
                .windowPackets(window);
    }

    private RcOption[] options(int extensions, boolean peerReportsCredits) {
        Set<RcOption> options = EnumSet.noneOf(RcOption.class);
        if ((extensions & PaddedData.PATHS) != 0) {
            options.add(RcOption.PATHS);
        }
        if ((extensions & (PaddedData.SELECTIVE_REPEAT | PaddedData.PATHS)) != 0) {
            options.add(RcOption.SELECTIVE_REPEAT);
        }
        if ((extensions & PaddedData.CONGESTION_CONTROL) != 0) {
            options.add(RcOption.CONGESTION_CONTROL);
        }
        if (reportsCredits()) {
            options.add(RcOption.REPORTS_CREDITS);
        }
        if (peerReportsCredits) {
            options.add(RcOption.HEEDS_CREDITS);
        }
        return options.toArray(RcOption[]::new);
    }
}
