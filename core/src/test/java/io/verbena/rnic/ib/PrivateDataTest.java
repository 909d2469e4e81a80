package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmAgent;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmPort;
import io.verbena.ib.cm.CmReject;
import io.verbena.ib.cm.CmSignal;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.settings.AddressPair;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.RdSettings;
import io.verbena.port.Addresses;
import io.verbena.rnic.ib.terms.ConnectionTerms;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.rnic.ib.terms.PortLimits;
import io.verbena.rnic.ib.terms.RdTerms;
import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.wire.ib.CmaHeader;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Private data of every length, with every combination of offered extensions, through the datagrams of connection management:
 * the data arrives as it was sent, and both ends agree on the same extensions.
 */
class PrivateDataTest {

    private static final long SERVICE = CmListener.tcpService(7174);
    private static final InetSocketAddress A = new InetSocketAddress(address(3), 7001);
    private static final InetSocketAddress B = new InetSocketAddress(address(2), 7174);
    private static final int REJECTION_BYTES = 148;
    private static final long NOW_NS = Long.MAX_VALUE - 1000;

    private static final Set<RcOption> EXTENSIONS = EnumSet.of(RcOption.SELECTIVE_REPEAT, RcOption.CONGESTION_CONTROL);

    private final QueuePairOptions queuePair = QueuePairOptions.of((CompletionQueue) Proxy.newProxyInstance(
            CompletionQueue.class.getClassLoader(), new Class<?>[] {CompletionQueue.class}, (_, _, _) -> {
                throw new AssertionError("terms do not use the CQ");
            }));
    private final Side a = new Side(A, B);
    private final Side b = new Side(B, A);

    private static InetAddress address(int host) {
        return Addresses.address(0, 0xffff_0a4d_0000L + host);
    }

    /** One port. */
    private static final class Side {
        final CmAgent agent;
        final Origin fromPeer;
        final PacketPath toPeer;

        Side(InetSocketAddress own, InetSocketAddress peer) {
            long address = Addresses.low(own.getAddress());
            SplittableRandom random = new SplittableRandom(address);
            agent = new CmAgent(CmPort.at(0, address, address), random::nextLong);
            agent.listen(SERVICE, CmListener.IP_AND_CONTEXTS);
            agent.listen(CmListener.udpService(B.getPort()), CmListener.IP);
            fromPeer = new Origin().source(0, Addresses.low(peer.getAddress())).target(0, address);
            toPeer = new PacketPath(0, Addresses.low(peer.getAddress()), 4791, 0);
        }

        /** The signal of the last datagram of the peer, which also answers the question whether it receives at its address. */
        <S extends CmSignal> S after(Side peer, Class<S> kind) {
            takeAll(peer);
            Optional<CmSignal> signal = agent.pollSignal();
            if (signal.isEmpty()) {
                peer.takeAll(this);
                takeAll(peer);
                signal = agent.pollSignal();
            }
            return kind.cast(signal.orElseThrow());
        }

        private void takeAll(Side peer) {
            for (Optional<CmAgent.Outgoing> each = peer.agent.pollOutgoing();
                    each.isPresent();
                    each = peer.agent.pollOutgoing()) {
                byte[] bytes = each.get().bytes();
                agent.onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, fromPeer, NOW_NS);
            }
        }
    }

    private static byte[] data(int length) {
        byte[] data = new byte[length];
        new SplittableRandom(length).nextBytes(data);
        return data;
    }

    /** No extension, each alone, both. */
    private static List<PortLimits> limits() {
        List<PortLimits> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            InfinibandOptions options = InfinibandOptions.defaults()
                    .withSelectiveRepeat((i & 1) != 0)
                    .withCongestionControl((i & 2) != 0);
            all.add(new PortLimits(options, 200_000 << i, true));
        }
        return all;
    }

    private static ConnectionOptions options(byte[] data) {
        return ConnectionOptions.defaults().withPrivateData(data);
    }

    private ConnectionTerms terms(int number, byte[] data, PortLimits limits, int most) {
        return new ConnectionTerms(number, queuePair, () -> (long) number << 32, options(data), limits, most);
    }

    private static RdTerms context(int number, byte[] data, PortLimits limits, int most) {
        return new RdTerms(number, number, options(data), limits, most);
    }

    private static Set<RcOption> extensions(RcSettings agreed) {
        Set<RcOption> extensions = EnumSet.copyOf(EXTENSIONS);
        extensions.retainAll(agreed.options());
        return extensions;
    }

    private static Set<RcOption> extensions(PortLimits one, PortLimits other) {
        Set<RcOption> both = EnumSet.noneOf(RcOption.class);
        if (one.options().selectiveRepeat() && other.options().selectiveRepeat()) {
            both.add(RcOption.SELECTIVE_REPEAT);
        }
        if (one.options().congestionControl() && other.options().congestionControl()) {
            both.add(RcOption.CONGESTION_CONTROL);
        }
        return both;
    }

    /** Sets a connection up through the datagrams of both sides. */
    private void connection(byte[] request, byte[] reply, PortLimits local, PortLimits remote) {
        String what = request.length + " and " + reply.length + " bytes, " + local.offers() + " and " + remote.offers();
        ConnectionTerms active = terms(0x11, request, local, RequestData.MOST_BYTES);
        ConnectionTerms passive = terms(0x22, reply, remote, ConnectionTerms.MOST_REPLY_BYTES);
        int number = a.agent.connect(
                active.offer(SERVICE, RequestData.of(A, a.toPeer, active.privateData(), active.offers())),
                a.toPeer,
                NOW_NS);
        CmSignal.Requested requested = b.after(a, CmSignal.Requested.class);
        CmOffer offer = requested.offer();
        assertArrayEquals(request, RequestData.data(offer.privateData()), what);
        RcSettings atB = passive.agreed(offer, b.toPeer);
        b.agent.accept(requested.connection(), passive.answer(offer), NOW_NS);
        CmAnswer answer = a.after(b, CmSignal.Replied.class).answer();
        assertArrayEquals(reply, PaddedData.data(answer.privateData()), what);
        RcSettings atA = active.agreed(answer, a.toPeer);
        assertEquals(extensions(local, remote), extensions(atA), what);
        assertEquals(extensions(local, remote), extensions(atB), what);
        assertEquals(local.windowPackets(atA.mtuBytes(), remote.offers()), atA.windowPackets(), what);
        assertEquals(remote.windowPackets(atB.mtuBytes(), local.offers()), atB.windowPackets(), what);
        a.agent.reject(number, CmReject.CONSUMER, new byte[0]);
        b.after(a, CmSignal.Rejected.class);
    }

    @Test
    void connection_everyLengthAndOffer_dataArrivesAndBothEndsAgree() {
        for (PortLimits local : limits()) {
            for (PortLimits remote : limits()) {
                for (int length = 0; length <= RequestData.MOST_BYTES; length++) {
                    connection(data(length), data(3), local, remote);
                }
                for (int length = 0; length <= ConnectionTerms.MOST_REPLY_BYTES; length++) {
                    connection(data(54), data(length), local, remote);
                }
            }
        }
    }

    /** Whether both ends agree on several paths. */
    private boolean severalPaths(int active, int passive) {
        PortLimits limits = limits().getLast();
        ConnectionOptions options = options(data(3));
        ConnectionTerms from = new ConnectionTerms(
                0x11, queuePair, () -> 1L << 32, options.withPaths(active), limits, RequestData.MOST_BYTES);
        ConnectionTerms to = new ConnectionTerms(
                0x22, queuePair, () -> 2L << 32, options.withPaths(passive), limits, ConnectionTerms.MOST_REPLY_BYTES);
        int number = a.agent.connect(
                from.offer(SERVICE, RequestData.of(A, a.toPeer, from.privateData(), from.offers())), a.toPeer, NOW_NS);
        CmSignal.Requested requested = b.after(a, CmSignal.Requested.class);
        RcSettings atB = to.agreed(requested.offer(), b.toPeer);
        b.agent.accept(requested.connection(), to.answer(requested.offer()), NOW_NS);
        RcSettings atA = from.agreed(a.after(b, CmSignal.Replied.class).answer(), a.toPeer);
        a.agent.reject(number, CmReject.CONSUMER, new byte[0]);
        b.after(a, CmSignal.Rejected.class);
        assertEquals(atA.sprays(), atB.sprays());
        assertEquals(atA.sprays() ? active : 1, atA.paths());
        assertEquals(atB.sprays() ? passive : 1, atB.paths());
        return atA.sprays();
    }

    private static PortLimits limits(int furtherAddresses) {
        List<InetAddress> further = new ArrayList<>();
        for (int i = 0; i < furtherAddresses; i++) {
            further.add(address(100 + i));
        }
        return new PortLimits(InfinibandOptions.defaults(), 200_000, true, further);
    }

    /** How many pairs of further addresses both ends number alike, with private data of these lengths. */
    private int pairs(int ofA, int requestBytes, int ofB, int replyBytes) {
        SplittableRandom random = new SplittableRandom(ofA);
        ConnectionTerms active = new ConnectionTerms(
                0x11, queuePair, random::nextLong, options(data(requestBytes)).withPaths(8), limits(ofA), 56);
        ConnectionTerms passive = new ConnectionTerms(
                0x22, queuePair, random::nextLong, options(data(replyBytes)).withPaths(8), limits(ofB), 196);
        int number = a.agent.connect(active.offer(SERVICE, active.request(A, a.toPeer)), a.toPeer, NOW_NS);
        CmSignal.Requested requested = b.after(a, CmSignal.Requested.class);
        assertArrayEquals(data(requestBytes), RequestData.data(requested.offer().privateData()));
        List<AddressPair> atB = passive.agreed(requested.offer(), b.toPeer).addressPairs();
        b.agent.accept(requested.connection(), passive.answer(requested.offer()), NOW_NS);
        CmAnswer answer = a.after(b, CmSignal.Replied.class).answer();
        assertArrayEquals(data(replyBytes), PaddedData.data(answer.privateData()));
        List<AddressPair> atA = active.agreed(answer, a.toPeer).addressPairs();
        a.agent.reject(number, CmReject.CONSUMER, new byte[0]);
        b.after(a, CmSignal.Rejected.class);
        assertEquals(atA.size(), atB.size());
        for (int i = 0; i < atA.size(); i++) {
            assertEquals(named(atB.get(i).source()), atA.get(i).low());
            assertEquals(named(atA.get(i).source()), atB.get(i).low());
            assertNotEquals(atA.get(i).nonce(), atB.get(i).nonce());
        }
        return atA.size();
    }

    /** The address that a side has named as this number; 0 for the first one. */
    private static long named(int number) {
        return number == 0 ? 0 : Addresses.low(address(99 + number));
    }

    @Test
    void furtherAddresses_areNumberedAlike_asFarAsPrivateDataLeavesSpaceForThem() {
        assertEquals(0, pairs(0, 3, 0, 3));
        for (int ofA = 0; ofA <= 3; ofA++) {
            for (int ofB = 0; ofB <= 3; ofB++) {
                assertEquals(Math.max(ofA, ofB), pairs(ofA, 39, ofB, 179));
                assertEquals(Math.max(Math.min(ofA, 2), ofB), pairs(ofA, 40, ofB, 3));
                assertEquals(Math.max(Math.min(ofA, 1), ofB), pairs(ofA, 47, ofB, 179));
                assertEquals(Math.min(ofB, 2), pairs(ofA, 48, ofB, 180));
                assertEquals(0, pairs(ofA, 53, ofB, 193));
            }
        }
    }

    /** Addresses of the peer that no packet may go to. */
    @Test
    void namedAddressesOfNoOtherHost_giveNoPairs() {
        for (String each : List.of("0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "255.255.255.255")) {
            PortLimits naming =
                    new PortLimits(InfinibandOptions.defaults(), 200_000, true, List.of(InetAddress.ofLiteral(each)));
            ConnectionTerms active = new ConnectionTerms(
                    0x11, queuePair, () -> 1L << 32, options(data(3)).withPaths(8), naming, 56);
            ConnectionTerms passive = new ConnectionTerms(
                    0x22, queuePair, () -> 2L << 32, options(data(3)).withPaths(8), limits(0), 196);
            CmOffer offer = active.offer(SERVICE, active.request(A, a.toPeer));
            assertEquals(List.of(), passive.agreed(offer, b.toPeer).addressPairs(), each);
        }
    }

    /** Fields that no correct peer sends. */
    @Test
    void namedAddresses_thatDoNotFitTheField_areNone() {
        ConnectionTerms active = new ConnectionTerms(
                0x11, queuePair, () -> 1L << 32, options(data(3)).withPaths(8), limits(1), 56);
        ConnectionTerms passive = new ConnectionTerms(
                0x22, queuePair, () -> 2L << 32, options(data(3)).withPaths(8), limits(0), 196);
        byte[] field = active.request(A, a.toPeer);
        assertEquals(
                1,
                passive.agreed(active.offer(SERVICE, field), b.toPeer)
                        .addressPairs()
                        .size());
        for (int count : new int[] {0, 4, 127, 128, 255}) {
            byte[] other = field.clone();
            other[field.length - 5] = (byte) count;
            assertEquals(
                    List.of(),
                    passive.agreed(active.offer(SERVICE, other), b.toPeer).addressPairs());
        }
        byte[] longer = field.clone();
        longer[field.length - 1] = 48;
        assertEquals(
                List.of(),
                passive.agreed(active.offer(SERVICE, longer), b.toPeer).addressPairs());
    }

    @Test
    void severalPaths_areAgreedOnOnlyIfBothSidesAskForThem() {
        assertEquals(
                List.of(false, false, false, true),
                List.of(severalPaths(1, 1), severalPaths(8, 1), severalPaths(1, 8), severalPaths(8, 2)));
    }

    @Test
    void context_everyLength_dataArrivesAndTheBufferIsKnown() {
        PortLimits large = limits().getLast();
        PortLimits small = limits().getFirst();
        for (int length = 0; length <= ConnectionTerms.MOST_REPLY_BYTES; length++) {
            byte[] request = data(Math.min(length, RequestData.MOST_BYTES));
            byte[] reply = data(length);
            RdTerms active = context(0x11, request, large, RequestData.MOST_BYTES);
            RdTerms passive = context(0x22, reply, small, ConnectionTerms.MOST_REPLY_BYTES);
            int number = a.agent.connect(
                    active.offer(SERVICE, RequestData.of(A, a.toPeer, request, active.offers())), a.toPeer, NOW_NS);
            CmSignal.Requested requested = b.after(a, CmSignal.Requested.class);
            assertArrayEquals(request, RequestData.data(requested.offer().privateData()));
            b.agent.accept(requested.connection(), passive.answer(), NOW_NS);
            CmAnswer answer = a.after(b, CmSignal.Replied.class).answer();
            assertArrayEquals(reply, PaddedData.data(answer.privateData()));
            RdSettings atA = active.agreed(answer);
            assertEquals(large.windowPackets(atA.mtuBytes(), passive.offers()), atA.windowPackets());
            a.agent.reject(number, CmReject.CONSUMER, new byte[0]);
            b.after(a, CmSignal.Rejected.class);
        }
    }

    @Test
    void rejection_everyLength_arrives() {
        for (int length = 0; length <= REJECTION_BYTES; length++) {
            byte[] reason = data(length);
            ConnectionTerms active = terms(0x11, data(1), limits().getFirst(), RequestData.MOST_BYTES);
            a.agent.connect(
                    active.offer(SERVICE, RequestData.of(A, a.toPeer, active.privateData(), 0)), a.toPeer, NOW_NS);
            int request = b.after(a, CmSignal.Requested.class).connection();
            b.agent.reject(request, CmReject.CONSUMER, PaddedData.pad(reason, REJECTION_BYTES, PaddedData.NONE));
            byte[] field = a.after(b, CmSignal.Rejected.class).privateData();
            assertArrayEquals(reason, PaddedData.data(field));
        }
    }

    @Test
    void lookUp_everyLength_arrivesBothWays() {
        for (int length = 0; length <= RequestData.LOOK_UP_BYTES; length++) {
            byte[] question = data(length);
            byte[] answer = data(Math.min(length, InfinibandLookUp.ANSWER_BYTES));
            a.agent.resolve(
                    CmListener.udpService(B.getPort()),
                    0xffff,
                    RequestData.lookUp(A, a.toPeer, question),
                    a.toPeer,
                    NOW_NS);
            CmSignal.ResolutionRequested asked = b.after(a, CmSignal.ResolutionRequested.class);
            assertArrayEquals(question, RequestData.data(asked.privateData()));
            byte[] field = PaddedData.pad(answer, InfinibandLookUp.ANSWER_BYTES, PaddedData.NONE);
            b.agent.answerResolution(asked.connection(), 0, 1, 2, field);
            assertArrayEquals(
                    answer, PaddedData.data(a.after(b, CmSignal.Resolved.class).privateData()));
        }
    }

    /** Linux writes zeros after the data and ignores the attribute modifier. */
    @Test
    void peerThatIsNoVerbena_getsTheDataAtItsPlace_andOffersNothing() {
        PortLimits all = limits().getLast();
        for (int length = 0; length <= RequestData.MOST_BYTES; length++) {
            byte[] data = data(length);
            byte[] field = RequestData.of(A, a.toPeer, data, all.offers());
            int from = CmaHeader.LENGTH;
            assertArrayEquals(data, Arrays.copyOfRange(field, from, from + length));
            ConnectionTerms passive = terms(0x22, data(1), all, ConnectionTerms.MOST_REPLY_BYTES);
            byte[] plain = Arrays.copyOf(Arrays.copyOf(field, from + length), from + RequestData.MOST_BYTES);
            CmOffer offer = passive.offer(SERVICE, plain);
            assertEquals(EnumSet.noneOf(RcOption.class), extensions(passive.agreed(offer, b.toPeer)));
            assertEquals(
                    PaddedData.NONE,
                    PaddedData.common(
                            all.offers(),
                            PaddedData.offers(passive.answer(offer).privateData())));
        }
    }
}
