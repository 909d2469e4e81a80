package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reliable datagrams through the verbs, over provider roce: domains, end-to-end contexts, queue pairs. */
class ReliableDatagramTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int QKEY = 0x2222;

    private final ManualWorld world = ManualWorld.roce();
    private final Node a = new Node(1);
    private final Node b = new Node(2);

    /** One program with two queue pairs, each with a CQ. */
    private final class Node {
        final SoftRnic rnic = world.rnic(RnicOptions.defaults());
        final ProtectionDomain pd = rnic.allocateProtectionDomain();
        final ReliableDatagramDomain domain = rnic.allocateReliableDatagramDomain();
        final MemoryRegion memory = pd.allocate(
                1 << 16,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        final AddressHandleAttributes address;
        final Program first;
        final Program second;

        Node(int number) {
            address = AddressHandleAttributes.to(ManualWorld.roceAddress(number).getAddress());
            first = new Program(this);
            second = new Program(this);
        }
    }

    private static final class Program {
        final Node node;
        final CompletionCursor cursor;
        final QueuePair queuePair;

        Program(Node node) {
            this.node = node;
            CompletionQueue cq = node.rnic.createCompletionQueue(256);
            cursor = cq.cursor();
            queuePair = node.pd.createQueuePair(QueuePairOptions.of(cq).withReliableDatagrams(node.domain));
            start(queuePair, node.address);
        }

        static void start(QueuePair queuePair, AddressHandleAttributes own) {
            PathAttributes path = PathAttributes.to(own).withPartition(0, QKEY);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        }

        WorkRequest send(int length, EndToEndContext context, Program to) {
            return queuePair
                    .newWorkRequest()
                    .send()
                    .gather(node.memory, 0, length)
                    .to(context, to.queuePair.number(), QKEY);
        }

        void post(WorkRequest request, long id) {
            assertTrue(queuePair.post(request.id(id)));
        }

        void receive(long id, int length) {
            assertTrue(queuePair.postReceive(id, node.memory, 0, length));
        }

        List<String> polled() {
            List<String> all = new ArrayList<>();
            while (cursor.next()) {
                all.add(cursor.wrId() + " " + cursor.status());
            }
            return all;
        }
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** Connects A to B. Returns both ends. */
    private List<EndToEndContext> connect() throws IOException {
        try (Listener listener = b.rnic.listen(world.address())) {
            EndToEndContext near = a.domain.startConnect(
                    listener.localAddress(), ConnectionOptions.defaults().withPrivateData(new byte[] {1}));
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            assertTrue(request.forContext());
            assertArrayEquals(new byte[] {1}, request.privateData());
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> request.startAccept(b.first.queuePair, ConnectionOptions.defaults()));
            EndToEndContext far = request.startAcceptContext(
                    b.domain, ConnectionOptions.defaults().withPrivateData(new byte[] {2}));
            near.awaitEstablished(SECOND);
            far.awaitEstablished(SECOND);
            assertArrayEquals(new byte[] {2}, near.privateData());
            world.settle();
            return List.of(near, far);
        } catch (ConnectionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void send_overASharedContext_reportsSourceAndContext() throws IOException {
        List<EndToEndContext> ends = connect();
        b.first.receive(1, 9_000);
        b.second.receive(2, 100);
        a.first.post(a.first.send(9_000, ends.get(0), b.first), 11);
        a.second.post(a.second.send(100, ends.get(0), b.second), 12);
        world.settle();
        assertEquals(List.of("11 SUCCESS"), a.first.polled());
        assertEquals(List.of("12 SUCCESS"), a.second.polled());
        assertTrue(b.first.cursor.next());
        assertEquals(9_000, b.first.cursor.byteCount());
        assertEquals(a.first.queuePair.number(), b.first.cursor.sourceQueuePairNumber());
        assertEquals(ends.get(1).number(), b.first.cursor.sourceContextNumber());
        assertFalse(b.first.cursor.hasGlobalHeader());
        assertEquals(List.of("2 SUCCESS"), b.second.polled());
        assertEquals(1, a.domain.contexts().size());
        assertEquals(2, a.domain.queuePairs());
        // The answer goes through the same context.
        a.first.receive(3, 64);
        b.first.post(b.first.send(64, ends.get(1), a.first), 13);
        world.settle();
        assertEquals(List.of("3 SUCCESS"), a.first.polled());
    }

    @Test
    void writeReadAndAtomic_areExecuted() throws IOException {
        EndToEndContext to = connect().get(0);
        int number = b.first.queuePair.number();
        a.memory.segment().set(JAVA_LONG, 0, 7);
        b.memory.segment().set(JAVA_LONG, 64, 5);
        WorkRequest work = a.first.queuePair.newWorkRequest();
        a.first.post(
                work.write(b.memory.remote().address(), b.memory.rkey())
                        .gather(a.memory, 0, 5_000)
                        .to(to, number, QKEY),
                1);
        a.first.post(
                work.fetchAndAdd(b.memory.remote().address() + 64, b.memory.rkey(), 3)
                        .scatter(a.memory, 8_192, 8)
                        .to(to, number, QKEY),
                2);
        a.first.post(
                work.read(b.memory.remote().address(), b.memory.rkey())
                        .scatter(a.memory, 16_384, 5_000)
                        .to(to, number, QKEY),
                3);
        a.first.post(
                work.compareAndSwap(b.memory.remote().address() + 64, b.memory.rkey(), 3, 9)
                        .scatter(a.memory, 8_200, 8)
                        .to(to, number, QKEY),
                4);
        world.settle();
        assertEquals(List.of("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS"), a.first.polled());
        assertEquals(7, a.memory.segment().get(JAVA_LONG, 16_384));
        assertEquals(3, a.memory.segment().get(JAVA_LONG, 16_384 + 64));
        assertEquals(0, a.memory.segment().get(JAVA_LONG, 8_192));
        assertEquals(3, a.memory.segment().get(JAVA_LONG, 8_200));
        assertEquals(9, b.memory.segment().get(JAVA_LONG, 64));
    }

    @Test
    void noReceiveAndWrongKey_delayNoOtherQueuePair() throws IOException {
        EndToEndContext to = connect().get(0);
        b.second.receive(2, 64);
        b.second.receive(3, 64);
        a.first.post(a.first.send(64, to, b.first), 11);
        a.second.post(a.second.send(64, to, b.second), 12);
        world.settle();
        assertEquals(List.of("12 SUCCESS"), a.second.polled());
        assertEquals(List.of(), a.first.polled());
        b.first.receive(1, 64);
        world.advance(1_000_000);
        assertEquals(List.of("11 SUCCESS"), a.first.polled());
        a.first.post(
                a.first.queuePair.newWorkRequest().send().gather(a.memory, 0, 8).to(to, b.first.queuePair.number(), 1),
                13);
        a.first.post(
                a.first.queuePair.newWorkRequest().send().gather(a.memory, 0, 8).to(to, 0x333333, QKEY), 14);
        a.second.post(a.second.send(64, to, b.second), 15);
        world.settle();
        assertEquals(List.of("13 REMOTE_INVALID_REQUEST", "14 REMOTE_INVALID_REQUEST"), a.first.polled());
        assertEquals(List.of("15 SUCCESS"), a.second.polled());
    }

    @Test
    void accessDenied_stopsTheSendQueueOfOneQueuePair_untilItIsMovedToRts() throws IOException {
        EndToEndContext to = connect().get(0);
        WorkRequest bad = a.first.queuePair.newWorkRequest().write(0, 99).gather(a.memory, 0, 8);
        a.first.post(bad.to(to, b.first.queuePair.number(), QKEY), 1);
        world.settle();
        assertEquals(List.of("1 REMOTE_ACCESS"), a.first.polled());
        assertEquals(InfinibandQueuePairState.SQE, a.first.queuePair.state());
        a.first.post(a.first.send(64, to, b.second), 11);
        world.settle();
        assertEquals(List.of("11 FLUSHED"), a.first.polled());
        b.second.receive(2, 64);
        b.second.receive(3, 64);
        a.second.post(a.second.send(64, to, b.second), 12);
        a.first.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        a.first.post(a.first.send(64, to, b.second), 13);
        world.settle();
        assertEquals(List.of("12 SUCCESS"), a.second.polled());
        assertEquals(List.of("13 SUCCESS"), a.first.polled());
    }

    @Test
    void queuePairClosed_duringAMessage_othersContinue() throws IOException {
        List<EndToEndContext> ends = connect();
        a.first.post(a.first.send(9_000, ends.get(0), b.first), 11);
        world.settle(); // B has no receive
        a.first.queuePair.close();
        b.first.queuePair.close();
        b.second.receive(2, 64);
        a.second.post(a.second.send(64, ends.get(0), b.second), 12);
        world.settle();
        assertEquals(List.of("12 SUCCESS"), a.second.polled());
        assertEquals(List.of("11 FLUSHED"), a.first.polled());
        assertEquals(1, a.domain.queuePairs());
    }

    @Test
    void sendQueueDrained_keepsWorkUntilItContinues() throws IOException {
        EndToEndContext to = connect().get(0);
        a.first.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.SQD));
        b.first.receive(1, 64);
        a.first.post(a.first.send(64, to, b.first), 11);
        world.settle();
        assertEquals(List.of(AsyncEventType.SEND_QUEUE_DRAINED), ManualWorld.events(a.rnic));
        assertEquals(List.of(), a.first.polled());
        a.first.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        world.settle();
        assertEquals(List.of("11 SUCCESS"), a.first.polled());
    }

    // Contexts.

    @Test
    void contextClosed_failsItsWork_andNotifiesThePeer() throws IOException {
        List<EndToEndContext> ends = connect();
        List<EndToEndContext> others = connect();
        a.first.post(a.first.send(64, ends.get(0), b.first), 11);
        a.first.post(a.first.send(64, others.get(0), b.first), 12);
        a.first.post(a.first.send(64, ends.get(0), b.first), 13);
        world.settle();
        ends.get(0).close();
        assertEquals(ConnectionState.CLOSED, ends.get(0).state());
        world.settle();
        assertEquals(ConnectionState.FAILED, ends.get(1).state());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(b.rnic));
        b.first.receive(1, 64);
        world.advance(2_000_000);
        assertEquals(List.of("11 CONNECTION_LOST", "12 SUCCESS", "13 CONNECTION_LOST"), a.first.polled());
        assertThrows(IllegalStateException.class, () -> a.first.queuePair.post(a.first.send(8, ends.get(0), b.first)));
        b.first.post(b.first.send(8, ends.get(1), a.first), 21);
        world.settle();
        assertTrue(b.first.polled().contains("21 CONNECTION_LOST"));
        ends.get(1).close();
        assertEquals(1, b.domain.contexts().size());
    }

    @Test
    void peerGone_failsTheWorkForIt() throws IOException {
        EndToEndContext to = connect().get(0);
        world.packets.vanish(ManualWorld.roceAddress(2));
        a.first.post(a.first.send(64, to, b.first), 11);
        world.advance(20_000_000_000L);
        assertEquals(List.of("11 RETRY_EXCEEDED"), a.first.polled());
        assertEquals(ConnectionState.FAILED, to.state());
        assertEquals(List.of(AsyncEventType.CONNECTION_LOST), ManualWorld.events(a.rnic));
    }

    @Test
    void request_withoutDomainOrRejected_fails() throws IOException {
        SoftRnic plain = world.rnic(RnicOptions.defaults());
        try (Listener listener = plain.listen(world.address())) {
            ConnectionException refused = assertThrows(
                    ConnectionException.class,
                    () -> a.domain.connect(listener.localAddress(), ConnectionOptions.defaults()));
            assertEquals(Kind.REFUSED, refused.kind());
        }
        try (Listener listener = b.rnic.listen(world.address())) {
            EndToEndContext near = a.domain.startConnect(listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(SECOND).orElseThrow().reject(new byte[] {5});
            ConnectionException rejected = assertThrows(ConnectionException.class, () -> near.awaitEstablished(SECOND));
            assertEquals(Kind.REJECTED, rejected.kind());
            assertArrayEquals(new byte[] {5}, rejected.privateData());
            near.close();
            EndToEndContext withdrawn = a.domain.startConnect(listener.localAddress(), ConnectionOptions.defaults());
            world.settle();
            withdrawn.close();
            assertEquals(ConnectionState.CLOSED, withdrawn.state());
            world.settle();
            assertEquals(Optional.empty(), listener.nextRequest(Duration.ZERO));
        }
        assertEquals(List.of(), a.domain.contexts());
    }

    @Test
    void warmedUp_everyKindOfWork_allocatesNothing() throws IOException {
        EndToEndContext to = connect().get(0);
        int number = b.first.queuePair.number();
        long there = b.memory.address();
        int key = b.memory.rkey();
        List<WorkRequest> work = List.of(
                a.first.send(3_000, to, b.first),
                a.first
                        .queuePair
                        .newWorkRequest()
                        .write(there, key)
                        .gather(a.memory, 0, 5_000)
                        .to(to, number, QKEY),
                a.first
                        .queuePair
                        .newWorkRequest()
                        .read(there, key)
                        .scatter(a.memory, 0, 5_000)
                        .to(to, number, QKEY),
                a.first
                        .queuePair
                        .newWorkRequest()
                        .fetchAndAdd(there, key, 1)
                        .scatter(a.memory, 0, 8)
                        .to(to, number, QKEY));
        rounds(work, 3_000);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5 && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            rounds(work, 300);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    private void rounds(List<WorkRequest> work, int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(b.first.queuePair.postReceive(i, b.memory, 0, 4_000));
            for (int k = 0; k < work.size(); k++) {
                assertTrue(a.first.queuePair.post(work.get(k)));
            }
            int polled = 0;
            for (int turn = 0; polled < work.size() + 1; turn++) {
                assertTrue(turn < 1_000);
                world.packets.poll();
                a.rnic.engine(0).turn(world.nowNs);
                b.rnic.engine(0).turn(world.nowNs);
                polled += taken(a.first) + taken(b.first);
            }
            ManualEnvironment.of(a.rnic).woken.clear();
            ManualEnvironment.of(b.rnic).woken.clear();
        }
    }

    private static int taken(Program program) {
        int count = 0;
        while (program.cursor.next()) {
            assertTrue(program.cursor.ok());
            count++;
        }
        return count;
    }

    @Test
    void misuse_isRejected() throws IOException {
        EndToEndContext to = connect().get(0);
        QueuePair qp = a.first.queuePair;
        assertThrows(IllegalArgumentException.class, () -> qp.postSend(1, a.memory, 0, 8, WrFlags.SIGNALLED));
        assertThrows(
                IllegalArgumentException.class,
                () -> qp.post(qp.newWorkRequest().send().gather(a.memory, 0, 8)));
        assertThrows(
                IllegalArgumentException.class,
                () -> b.first.queuePair.newWorkRequest().send().to(to, 1, QKEY));
        assertThrows(
                IllegalArgumentException.class,
                () -> a.pd.createQueuePair(
                        QueuePairOptions.of(qp.sendCq()).withService(TransportService.RELIABLE_DATAGRAM)));
        assertThrows(
                IllegalArgumentException.class,
                () -> a.pd.createQueuePair(QueuePairOptions.of(qp.sendCq()).withReliableDatagrams(b.domain)));
        ReliableDatagramDomain other = a.rnic.allocateReliableDatagramDomain();
        QueuePair stranger =
                a.pd.createQueuePair(QueuePairOptions.of(qp.sendCq()).withReliableDatagrams(other));
        Program.start(stranger, a.address);
        assertThrows(
                IllegalArgumentException.class,
                () -> stranger.post(stranger.newWorkRequest().send().to(to, 1, QKEY)));
        assertThrows(IllegalStateException.class, other::close);
        stranger.close();
        other.close();
        assertThrows(
                IllegalStateException.class,
                () -> other.startConnect(ManualWorld.roceAddress(2), ConnectionOptions.defaults()));
    }

    @Test
    void lookUp_givesTheQueuePairOfAReliableService() throws IOException {
        try (Listener listener = b.rnic.listen(world.address())) {
            world.beforeTimePasses = () -> listener.nextRequest(Duration.ZERO)
                    .ifPresent(request -> request.acceptDatagrams(b.first.queuePair, QKEY, new byte[0]));
            DatagramPeer found = a.rnic.lookUp(listener.localAddress(), ConnectionOptions.defaults());
            assertEquals(b.first.queuePair.number(), found.queuePairNumber());
        }
    }
}
