package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Look-ups of datagram services, and multicast groups, over the fake of librdmacm. */
class DatagramServicesTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");
    private static final int QKEY = QueuePairStates.DEFAULT_QKEY;
    private static final byte[] NONE = new byte[0];

    private final FakeLibrary fake = new FakeLibrary();
    private final int objectsBefore = fake.adapter().objects();
    private Optional<Rnic> opened = Optional.empty();

    @AfterEach
    void close() {
        fake.failNone();
        opened.ifPresent(Rnic::close);
        assertEquals(objectsBefore, fake.adapter().objects(), "native objects that are left");
        fake.close();
    }

    private Rnic rnic() {
        return rnic("");
    }

    private Rnic rnic(String device) {
        Rnic rnic = new IbverbsProvider(fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), false)
                .open(
                        device.isEmpty()
                                ? RnicOptions.defaults()
                                : RnicOptions.defaults().withDevice(device));
        opened = Optional.of(rnic);
        return rnic;
    }

    private static QueuePair datagrams(ProtectionDomain domain, CompletionQueue cq, int qkey) {
        QueuePair queuePair = domain.createQueuePair(
                QueuePairOptions.of(cq).withDepths(8, 8).withService(TransportService.UNRELIABLE_DATAGRAM));
        PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(InetAddress.getLoopbackAddress()))
                .withPartition(0, qkey);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        return queuePair;
    }

    private static QueuePair datagrams(Rnic rnic) {
        return datagrams(rnic.allocateProtectionDomain(), rnic.createCompletionQueue(16), QKEY);
    }

    private static ConnectionOptions patient() {
        return ConnectionOptions.defaults().withTimeout(LONG);
    }

    /** A look-up in a thread of its own. */
    private static CompletableFuture<DatagramPeer> lookUp(Rnic rnic, Listener listener, ConnectionOptions options) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return rnic.lookUp(listener.localAddress(), options);
            } catch (ConnectionException e) {
                throw new java.util.concurrent.CompletionException(e);
            }
        });
    }

    private static ConnectionException failure(CompletableFuture<DatagramPeer> lookUp) {
        ExecutionException failed = assertThrows(ExecutionException.class, lookUp::get);
        return assertInstanceOf(ConnectionException.class, failed.getCause());
    }

    private static byte[] text(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    // Look-ups.

    @Test
    void lookUp_accepted_statesTheQueuePair_whichReceivesDatagrams() throws Exception {
        Rnic rnic = rnic();
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        CompletionQueue serverCq = rnic.createCompletionQueue(16);
        CompletionQueue clientCq = rnic.createCompletionQueue(16);
        QueuePair server = datagrams(domain, serverCq, QKEY);
        QueuePair client = datagrams(domain, clientCq, QKEY);
        MemoryRegion memory = domain.allocate(256, AccessRight.LOCAL_WRITE);
        Listener listener = rnic.listen(ANY_PORT);
        CompletableFuture<DatagramPeer> lookUp =
                lookUp(rnic, listener, patient().withPrivateData(text("asked")));
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        assertTrue(request.forDatagrams());
        assertArrayEquals(Arrays.copyOf(text("asked"), 180), request.privateData());
        assertThrows(UnsupportedOperationException.class, () -> request.startAccept(server, patient()));
        request.acceptDatagrams(server, QKEY, text("answered"));
        DatagramPeer peer = lookUp.get();
        assertEquals(server.number(), peer.queuePairNumber());
        assertEquals(QKEY, peer.qkey());
        assertArrayEquals(Arrays.copyOf(text("answered"), 136), peer.privateData());
        assertEquals(
                Optional.of(InetAddress.getLoopbackAddress()), peer.address().address());
        server.postReceive(9, memory, 64, 128);
        try (AddressHandle handle = domain.createAddressHandle(peer.address())) {
            client.post(client.newWorkRequest()
                    .send()
                    .gather(memory, 0, 8)
                    .to(handle, peer.queuePairNumber(), peer.qkey())
                    .id(1));
            assertEquals(9, serverCq.take(LONG).wrId());
        }
        memory.close();
    }

    @Test
    void lookUp_rejected_hasThePrivateDataOfTheReject() throws Exception {
        Rnic rnic = rnic();
        Listener listener = rnic.listen(ANY_PORT);
        CompletableFuture<DatagramPeer> lookUp = lookUp(rnic, listener, patient());
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        assertThrows(IllegalArgumentException.class, () -> request.reject(new byte[137]));
        request.reject(text("no"));
        ConnectionException rejected = failure(lookUp);
        assertEquals(Kind.REJECTED, rejected.kind());
        assertArrayEquals(Arrays.copyOf(text("no"), 136), rejected.privateData());
    }

    @Test
    void lookUp_noService_isRefused() throws Exception {
        Rnic rnic = rnic();
        Listener listener = rnic.listen(ANY_PORT);
        listener.close();
        assertEquals(Kind.REFUSED, failure(lookUp(rnic, listener, patient())).kind());
    }

    @Test
    void lookUp_notAnswered_endsAfterItsTimeout_andTheRequestAfterwardsHasNoPeer() throws Exception {
        Rnic rnic = rnic();
        QueuePair queuePair = datagrams(rnic);
        Listener listener = rnic.listen(ANY_PORT);
        ConnectionException late =
                failure(lookUp(rnic, listener, ConnectionOptions.defaults().withTimeout(Duration.ofMillis(30))));
        assertEquals(Kind.TIMED_OUT, late.kind());
        assertTrue(String.valueOf(late.getMessage()).endsWith("did not answer within 30 ms."), late::getMessage);
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        assertThrows(VerbsException.class, () -> request.acceptDatagrams(queuePair, QKEY, NONE));
    }

    @Test
    void lookUp_rnicClosed_ends() throws Exception {
        Rnic rnic = rnic();
        Listener listener = rnic.listen(ANY_PORT);
        CompletableFuture<DatagramPeer> lookUp = lookUp(rnic, listener, patient());
        assertTrue(listener.nextRequest(LONG).isPresent());
        rnic.close();
        ConnectionException ended = failure(lookUp);
        assertTrue(ended.kind() == Kind.FAILED || ended.kind() == Kind.REJECTED, ended::toString);
        assertThrows(IllegalStateException.class, () -> rnic.lookUp(ANY_PORT, patient()));
    }

    @Test
    void lookUp_threadInterrupted_throwsAndLeavesNoId() throws Exception {
        Rnic rnic = rnic();
        Listener listener = rnic.listen(ANY_PORT);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                rnic.lookUp(listener.localAddress(), patient());
            } catch (Exception e) {
                thrown.set(e);
            }
        });
        assertTrue(listener.nextRequest(LONG).isPresent());
        thread.interrupt();
        thread.join();
        assertEquals(WaitInterruptedException.class, thrown.get().getClass());
    }

    @ParameterizedTest
    @EnumSource(
            value = NativeFunction.class,
            names = {"RESOLVE_ADDR", "RESOLVE_ROUTE", "CONNECT"})
    void lookUp_callFails_isASentence(NativeFunction function) throws Exception {
        Rnic rnic = rnic();
        Listener listener = rnic.listen(ANY_PORT);
        fake.failNext(function, Errno.ENETUNREACH);
        ConnectionException failed = failure(lookUp(rnic, listener, patient()));
        assertEquals(Kind.FAILED, failed.kind());
        assertTrue(
                String.valueOf(failed.getMessage())
                        .endsWith("was not reached: the network is unreachable (errno 101)."),
                failed::getMessage);
    }

    @Test
    void lookUp_hostNameWithoutAddress_fails_asDoesAConnection() {
        Rnic rnic = rnic();
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 7);
        assertEquals(
                Kind.FAILED,
                assertThrows(ConnectionException.class, () -> rnic.lookUp(nowhere, patient()))
                        .kind());
        QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(rnic.createCompletionQueue(16));
        assertEquals(
                Kind.FAILED,
                assertThrows(ConnectionException.class, () -> rnic.connect(queuePair, nowhere))
                        .kind());
    }

    @Test
    void wayOverAnotherDevice_isRefusedWithBothNames() throws Exception {
        fake.adapter().add("fake1", true);
        Rnic rnic = rnic("fake1");
        Listener listener = rnic.listen(ANY_PORT);
        String sentence = "The way to this address begins at the device fake0, and this RNIC is fake1;";
        ConnectionException failed = failure(lookUp(rnic, listener, patient()));
        assertTrue(String.valueOf(failed.getMessage()).startsWith(sentence), failed::getMessage);
        QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(rnic.createCompletionQueue(16));
        failed = assertThrows(ConnectionException.class, () -> rnic.connect(queuePair, listener.localAddress()));
        assertTrue(String.valueOf(failed.getMessage()).startsWith(sentence), failed::getMessage);
        QueuePair member = datagrams(rnic);
        assertThrows(IOException.class, () -> member.joinGroup(GROUP));
    }

    @Test
    void answer_thatThePeerCouldNotUse_isRefused() throws Exception {
        Rnic rnic = rnic();
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(16);
        QueuePair ready = datagrams(domain, cq, QKEY);
        QueuePair otherKey = datagrams(domain, cq, 5);
        QueuePair fresh =
                domain.createQueuePair(QueuePairOptions.of(cq).withService(TransportService.UNRELIABLE_DATAGRAM));
        QueuePair connected = domain.createQueuePair(cq);
        Listener listener = rnic.listen(ANY_PORT);
        CompletableFuture<DatagramPeer> lookUp = lookUp(rnic, listener, patient());
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        assertThrows(IllegalArgumentException.class, () -> request.acceptDatagrams(connected, QKEY, NONE));
        assertThrows(IllegalStateException.class, () -> request.acceptDatagrams(fresh, QKEY, NONE));
        assertThrows(IllegalArgumentException.class, () -> request.acceptDatagrams(ready, 5, NONE));
        assertThrows(UnsupportedOperationException.class, () -> request.acceptDatagrams(otherKey, 5, NONE));
        assertThrows(IllegalArgumentException.class, () -> request.acceptDatagrams(ready, QKEY, new byte[137]));
        request.acceptDatagrams(ready, QKEY, NONE);
        assertEquals(ready.number(), lookUp.get().queuePairNumber());
        assertThrows(IllegalStateException.class, () -> request.acceptDatagrams(ready, QKEY, NONE));
    }

    @Test
    void answer_callFails_isASentence_andThePeerIsRejected() throws Exception {
        Rnic rnic = rnic();
        QueuePair queuePair = datagrams(rnic);
        Listener listener = rnic.listen(ANY_PORT);
        CompletableFuture<DatagramPeer> _ =
                lookUp(rnic, listener, ConnectionOptions.defaults().withTimeout(Duration.ofMillis(100)));
        ConnectionRequest request = listener.nextRequest(LONG).orElseThrow();
        fake.failNext(NativeFunction.ACCEPT, Errno.ENOMEM);
        VerbsException failed =
                assertThrows(VerbsException.class, () -> request.acceptDatagrams(queuePair, QKEY, NONE));
        assertTrue(String.valueOf(failed.getMessage()).contains("was not answered"), failed::getMessage);
    }

    @Test
    void portOfAnotherDatagramProgram_listenerIsForConnectionsOnly() throws Exception {
        Rnic rnic = rnic();
        fake.failNext(NativeFunction.LISTEN, Errno.EADDRINUSE);
        assertThrows(IOException.class, () -> rnic.listen(ANY_PORT));
        fake.serviceTakes(7);
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7))) {
            QueuePair client = rnic.allocateProtectionDomain().createQueuePair(rnic.createCompletionQueue(16));
            var _ = rnic.startConnect(client, listener.localAddress(), patient());
            assertFalse(listener.nextRequest(LONG).orElseThrow().forDatagrams());
        }
    }

    @Test
    void iwarpAdapter_refusesDatagrams() {
        fake.siw();
        Rnic rnic = rnic();
        assertThrows(UnsupportedOperationException.class, () -> rnic.lookUp(ANY_PORT, patient()));
        QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(rnic.createCompletionQueue(16));
        assertThrows(UnsupportedOperationException.class, () -> queuePair.joinGroup(GROUP));
        assertThrows(UnsupportedOperationException.class, () -> queuePair.leaveGroup(GROUP));
    }

    // Groups.

    @Test
    void group_membersReceive_untilTheyLeave() throws Exception {
        Rnic rnic = rnic();
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        CompletionQueue firstCq = rnic.createCompletionQueue(16);
        CompletionQueue secondCq = rnic.createCompletionQueue(16);
        QueuePair sender = datagrams(domain, rnic.createCompletionQueue(16), QKEY);
        QueuePair first = datagrams(domain, firstCq, QKEY);
        QueuePair second = datagrams(domain, secondCq, QKEY);
        MemoryRegion memory = domain.allocate(256, AccessRight.LOCAL_WRITE);
        AddressHandle handle = domain.createAddressHandle(AddressHandleAttributes.to(GROUP));
        first.joinGroup(GROUP);
        first.joinGroup(GROUP);
        second.joinGroup(GROUP);
        for (int i = 0; i < 3; i++) {
            first.postReceive(i, memory, 64, 64);
            second.postReceive(i, memory, 128, 64);
        }
        send(sender, memory, handle);
        assertEquals(0, firstCq.take(LONG).wrId());
        assertEquals(0, secondCq.take(LONG).wrId());
        first.leaveGroup(GROUP);
        first.leaveGroup(GROUP);
        send(sender, memory, handle);
        assertEquals(1, secondCq.take(LONG).wrId());
        assertFalse(firstCq.cursor().next());
        second.close(); // as a member
        send(sender, memory, handle);
        handle.close();
        memory.close();
    }

    private static void send(QueuePair sender, MemoryRegion memory, AddressHandle handle) throws Exception {
        sender.post(sender.newWorkRequest()
                .send()
                .gather(memory, 0, 8)
                .to(handle, 0xff_ffff, QKEY)
                .flags(WrFlags.SIGNALLED)
                .id(5));
        CompletionCursor sent = sender.sendCq().take(LONG);
        assertEquals(5, sent.wrId());
    }

    @Test
    void join_ofAnAddressThatIsNoGroup_fails() {
        QueuePair queuePair = datagrams(rnic());
        assertThrows(IOException.class, () -> queuePair.joinGroup(InetAddress.getLoopbackAddress()));
    }

    @ParameterizedTest
    @EnumSource(
            value = NativeFunction.class,
            names = {"RESOLVE_ADDR", "JOIN_MULTICAST", "ATTACH_MCAST"})
    void join_callFails_isASentence_andTheNextJoinSucceeds(NativeFunction function) throws Exception {
        QueuePair queuePair = datagrams(rnic());
        fake.failNext(function, Errno.ENOMEM);
        IOException failed = assertThrows(IOException.class, () -> queuePair.joinGroup(GROUP));
        assertTrue(String.valueOf(failed.getMessage()).startsWith("The multicast group 239.1.2.3"), failed::getMessage);
        queuePair.joinGroup(GROUP);
    }

    @Test
    void membershipLost_isAnEvent_andTheNextJoinSucceeds() throws Exception {
        Rnic rnic = rnic();
        QueuePair queuePair = datagrams(rnic);
        queuePair.joinGroup(GROUP);
        fake.loseGroups();
        AsyncEvent event = rnic.pollAsyncEvents(LONG).getFirst();
        assertEquals(AsyncEventType.ADDRESS_CHANGED, event.type());
        assertEquals(queuePair, event.subject());
        queuePair.joinGroup(GROUP);
    }

    @Test
    void infinibandLink_pathOfAGroup_isKnownToMembers() throws Exception {
        fake.infiniband();
        Rnic rnic = rnic();
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        AddressHandleAttributes group = AddressHandleAttributes.to(GROUP);
        assertThrows(IllegalStateException.class, () -> domain.createAddressHandle(group));
        QueuePair queuePair = datagrams(domain, rnic.createCompletionQueue(16), QKEY);
        queuePair.joinGroup(GROUP);
        domain.createAddressHandle(group).close();
    }
}
