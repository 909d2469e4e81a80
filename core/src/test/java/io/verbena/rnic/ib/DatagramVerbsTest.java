package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.Transport;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.rnic.toy.ToyTransport;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Verbs of datagram services: on a transport that has them, and on iWARP, which has none. */
class DatagramVerbsTest {

    private static final AddressHandleAttributes SOMEWHERE =
            AddressHandleAttributes.to(InetAddress.ofLiteral("192.0.2.1"));

    private final DatagramToy toy = new DatagramToy();
    private final ManualWorld world = new ManualWorld(toy);
    private final ManualWorld iwarp = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
        iwarp.close();
    }

    /** Queue pairs of the toy transport, which need a connection, with destinations that it only counts. */
    private static final class DatagramToy implements Transport, Datagrams {
        private final ToyTransport inner = new ToyTransport();
        private final Set<Integer> destinations = new HashSet<>();
        private int last = 41;

        @Override
        public TransportLimits limits() {
            TransportLimits toy = inner.limits();
            return new TransportLimits(
                    "datagrams",
                    toy.type(),
                    Set.of(TransportService.UNRELIABLE_DATAGRAM),
                    toy.operations(),
                    toy.connection());
        }

        @Override
        public QueuePairEndpoint newEndpoint(SoftQueuePair queuePair) {
            return inner.newEndpoint(queuePair);
        }

        @Override
        public SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
            return inner.connect(queuePair, remote, options);
        }

        @Override
        public SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) {
            return inner.listen(context, address, options);
        }

        @Override
        public Optional<Datagrams> datagrams() {
            return Optional.of(this);
        }

        @Override
        public int addDestination(AddressHandleAttributes attributes) {
            destinations.add(++last);
            return last;
        }

        @Override
        public void releaseDestination(int number) {
            destinations.remove(number);
        }

        @Override
        public DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) {
            return new DatagramPeer(SOMEWHERE, 7, 8, new byte[0]);
        }
    }

    private static QueuePairOptions datagrams(QueuePairOptions options) {
        return options.withService(TransportService.UNRELIABLE_DATAGRAM);
    }

    @Test
    void post_withoutDestination_isRejected() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, DatagramVerbsTest::datagrams).connect();
        WorkRequest send = pair.a.queuePair.newWorkRequest().send().gather(pair.a.memory, 0, 8);
        assertThrows(IllegalArgumentException.class, () -> pair.a.queuePair.post(send));
        assertThrows(
                IllegalArgumentException.class,
                () -> pair.a.queuePair.postSend(1, pair.a.memory, 0, 8, WrFlags.SIGNALLED));
    }

    @Test
    void post_withDestination_isExecutedUntilTheHandleIsClosed() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, DatagramVerbsTest::datagrams).connect();
        ProtectionDomain domain = pair.a.queuePair.protectionDomain();
        AddressHandle handle = domain.createAddressHandle(SOMEWHERE);
        assertEquals(SOMEWHERE, handle.attributes());
        assertEquals(Set.of(42), toy.destinations);
        WorkRequest send = pair.a
                .queuePair
                .newWorkRequest()
                .send()
                .gather(pair.a.memory, 0, 8)
                .to(handle, 0x123456, -5)
                .id(3);
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        assertTrue(pair.a.queuePair.post(send));
        world.settle();
        assertEquals(List.of("3 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
        handle.close();
        handle.close();
        assertEquals(Set.of(), toy.destinations);
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.post(send));
        assertThrows(IllegalStateException.class, () -> send.to(handle, 1, 1));
        send.send().gather(pair.a.memory, 0, 8);
        assertThrows(IllegalArgumentException.class, () -> pair.a.queuePair.post(send), "send() removes it");
    }

    @Test
    void addressHandle_belongsToItsDomain() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 64, DatagramVerbsTest::datagrams).connect();
        ProtectionDomain other = pair.a.rnic.allocateProtectionDomain();
        AddressHandle handle = other.createAddressHandle(SOMEWHERE);
        WorkRequest send = pair.a.queuePair.newWorkRequest().send();
        assertThrows(IllegalArgumentException.class, () -> send.to(handle, 1, 1));
        IllegalStateException open = assertThrows(IllegalStateException.class, other::close);
        assertTrue(String.valueOf(open.getMessage()).contains("1 address handles"), open::toString);
        handle.close();
        other.close();
        assertThrows(IllegalStateException.class, () -> other.createAddressHandle(SOMEWHERE));
    }

    @Test
    void rnicClosed_releasesDestinations() {
        SoftRnic rnic = world.rnic();
        rnic.allocateProtectionDomain().createAddressHandle(SOMEWHERE);
        assertFalse(toy.destinations.isEmpty());
        rnic.close();
        assertEquals(Set.of(), toy.destinations);
    }

    @Test
    void lookUp_isAnsweredByTheTransport() throws IOException {
        assertEquals(
                7,
                world.rnic()
                        .lookUp(world.address(), ConnectionOptions.defaults())
                        .queuePairNumber());
    }

    @Test
    void iwarp_everyDatagramVerb_saysThatThereAreNone() throws IOException {
        Pair pair = new Pair(iwarp).connect();
        ProtectionDomain domain = pair.a.queuePair.protectionDomain();
        AddressHandle foreign = new AddressHandle() {
            @Override
            public AddressHandleAttributes attributes() {
                return SOMEWHERE;
            }

            @Override
            public void close() {}
        };
        InetAddress group = InetAddress.ofLiteral("239.1.1.1");
        unsupported("iwarp", () -> domain.createAddressHandle(SOMEWHERE));
        unsupported("iwarp", () -> pair.a.queuePair.newWorkRequest().send().to(foreign, 1, 1));
        unsupported("iwarp", () -> pair.a.rnic.lookUp(iwarp.address(), ConnectionOptions.defaults()));
        unsupported("UNRELIABLE_DATAGRAM", () -> pair.a.queuePair.joinGroup(group));
        unsupported("UNRELIABLE_DATAGRAM", () -> pair.a.queuePair.leaveGroup(group));
        unsupported("RAW_DATAGRAM", () -> pair.a.queuePair.steer(OptionalInt.of(17), Optional.empty()));
        unsupported("no alternate paths", () -> pair.fromA.proposeAlternatePath(SOMEWHERE));
        unsupported("UNRELIABLE_DATAGRAM", () -> domain.createQueuePair(datagrams(QueuePairOptions.of(pair.a.cq))));
    }

    @Test
    void iwarp_acceptDatagrams_saysThatThePeerRequestsAConnection() throws IOException {
        SoftRnic server = iwarp.rnic();
        SoftRnic client = iwarp.rnic();
        Listener listener = server.listen(iwarp.address());
        var queuePair = client.allocateProtectionDomain().createQueuePair(client.createCompletionQueue(4));
        client.startConnect(queuePair, listener.localAddress(), ConnectionOptions.defaults());
        iwarp.settle();
        ConnectionRequest request =
                listener.nextRequest(java.time.Duration.ZERO).orElseThrow();
        assertFalse(request.forDatagrams());
        unsupported("call accept", () -> request.acceptDatagrams(queuePair, 1, new byte[0]));
    }

    private static void unsupported(String text, org.junit.jupiter.api.function.Executable call) {
        String message = String.valueOf(
                assertThrows(UnsupportedOperationException.class, call).getMessage());
        assertTrue(message.contains(text), message);
    }
}
