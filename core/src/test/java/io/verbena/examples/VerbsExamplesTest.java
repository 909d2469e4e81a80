package io.verbena.examples;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Notification;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SegmentOffer;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The examples of docs/verbs.md. The code between "example" and "end" is in the document exactly as here, which {@link
 * DocumentedExamplesTest} checks.
 */
class VerbsExamplesTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final AccessRight[] OPEN = {
        AccessRight.LOCAL_WRITE,
        AccessRight.REMOTE_READ,
        AccessRight.REMOTE_WRITE,
        AccessRight.REMOTE_ATOMIC,
        AccessRight.BIND
    };

    // Two ends in one process; each example is the code of one of them.
    private final Rnic rnic = Rnic.open();
    private final Rnic peerRnic = Rnic.open();
    private final ProtectionDomain pd = rnic.allocateProtectionDomain();
    private final ProtectionDomain peerPd = peerRnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);
    private final CompletionQueue peerCq = peerRnic.createCompletionQueue(64);
    private final QueuePair qp = pd.createQueuePair(QueuePairOptions.of(cq).withMaxInlineBytes(64));
    private final MemoryRegion region = pd.allocate(4096, OPEN);
    private final MemoryRegion peerRegion = peerPd.allocate(4096, OPEN);
    private final RemoteRegion remote = peerRegion.remote();

    @AfterEach
    void close() {
        rnic.close();
        peerRnic.close();
    }

    private void connect(QueuePair to) throws Exception {
        Listener listener = peerRnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        rnic.startConnect(qp, listener.localAddress(), ConnectionOptions.defaults());
        listener.nextRequest(MINUTE).orElseThrow().accept(to, ConnectionOptions.defaults());
        qp.connection().orElseThrow().awaitEstablished(MINUTE);
    }

    private QueuePair connected() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        connect(peer);
        return peer;
    }

    private static long taken(CompletionQueue from) throws Exception {
        CompletionCursor done = from.take(MINUTE);
        assertTrue(done.ok(), done.reason());
        return done.wrId();
    }

    @Test
    void send_andReceive() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 0, 64);
        connect(peer);
        // example: send
        region.segment().setString(0, "hello");
        qp.postSend(7, region, 0, 6, WrFlags.SIGNALLED); // false: the queue is full
        CompletionCursor done = cq.take(Duration.ofSeconds(5));
        if (!done.ok()) {
            throw new IllegalStateException(done.reason());
        }
        assertEquals(7, done.wrId());
        // end
        CompletionCursor arrived = peerCq.take(MINUTE);
        assertEquals(6, arrived.byteCount());
        assertEquals("hello", peerRegion.segment().getString(0));
    }

    @Test
    void reliableDatagrams() throws Exception {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        try (Rnic rnic = Rnic.open(roce);
                Rnic far = Rnic.open(roce)) {
            ProtectionDomain pd = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(64);
            MemoryRegion region = pd.allocate(64);
            ReliableDatagramDomain farDomain = far.allocateReliableDatagramDomain();
            ProtectionDomain farPd = far.allocateProtectionDomain();
            CompletionQueue farCq = far.createCompletionQueue(64);
            QueuePair farQp = farPd.createQueuePair(QueuePairOptions.of(farCq).withReliableDatagrams(farDomain));
            Listener listener = far.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            InetSocketAddress peer = (InetSocketAddress) listener.localAddress();
            PathAttributes farKey = PathAttributes.to(AddressHandleAttributes.to(peer.getAddress()))
                    .withPartition(0, 0x2222);
            farQp.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            farQp.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(farKey));
            farQp.postReceive(1, farPd.allocate(64, AccessRight.LOCAL_WRITE), 0, 64);
            listener.onReady(() -> listener.nextRequest(Duration.ZERO)
                    .ifPresent(it -> it.startAcceptContext(farDomain, ConnectionOptions.defaults())));
            int peerNumber = farQp.number();
            // example: reliable-datagrams
            ReliableDatagramDomain domain = rnic.allocateReliableDatagramDomain();
            QueuePair qp = pd.createQueuePair(QueuePairOptions.of(cq).withReliableDatagrams(domain));
            PathAttributes key = PathAttributes.to(AddressHandleAttributes.to(peer.getAddress()))
                    .withPartition(0, 0x2222); // peers must name this Q_Key
            qp.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(key));
            qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
            EndToEndContext context = domain.connect(peer, ConnectionOptions.defaults()); // one for all queue pairs
            qp.post(qp.newWorkRequest()
                    .send()
                    .gather(region, 0, 64)
                    .to(context, peerNumber, 0x2222)
                    .id(7));
            CompletionCursor done = cq.take(Duration.ofSeconds(5));
            // end
            assertTrue(done.ok(), done.reason());
            assertEquals(1, taken(farCq));
        }
    }

    @Test
    void write_read_immediate() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 0, 0);
        connect(peer);
        // example: write
        qp.postWrite(1, region, 0, 1024, remote, 0, WrFlags.UNSIGNALLED);
        qp.postRead(2, region, 1024, 1024, remote, 0, WrFlags.SIGNALLED);
        WorkRequest last = qp.newWorkRequest()
                .writeWithImmediate(
                        remote.address(), remote.rkey(), 42) // uses a receive of the peer, which gets the 42
                .gather(region, 0, 8)
                .gather(region, 512, 8) // both buffers form one message
                .id(3);
        qp.post(last);
        // end
        assertEquals(2, taken(cq));
        assertEquals(3, taken(cq));
        CompletionCursor arrived = peerCq.take(MINUTE);
        assertTrue(arrived.hasImmediate());
        assertEquals(42, arrived.immediate());
    }

    @Test
    void atomics() throws Exception {
        connected();
        peerRegion.segment().set(JAVA_LONG, 0, 10);
        // example: atomics
        qp.postFetchAndAdd(1, region, 0, remote.address(), remote.rkey(), 5, WrFlags.SIGNALLED);
        cq.take(Duration.ofSeconds(5));
        long before = region.segment().get(JAVA_LONG, 0); // 10; the remote word is 15 now
        qp.postCompareAndSwap(2, region, 8, remote.address(), remote.rkey(), 15, 99, WrFlags.SIGNALLED);
        cq.take(Duration.ofSeconds(5));
        boolean swapped = region.segment().get(JAVA_LONG, 8) == 15;
        // end
        assertEquals(10, before);
        assertTrue(swapped);
        assertEquals(99, peerRegion.segment().get(JAVA_LONG, 0));
    }

    @Test
    void fence() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 64, 64);
        connect(peer);
        peerRegion.segment().setString(0, "read me");
        // example: fence
        qp.postRead(1, region, 0, 8, remote, 0, WrFlags.UNSIGNALLED);
        qp.postSend(2, region, 0, 8, WrFlags.SIGNALLED.withFence()); // waits for the Read, then sends its result
        // end
        assertEquals(2, taken(cq));
        assertEquals(1, taken(peerCq));
        assertEquals("read me", peerRegion.segment().getString(64));
    }

    @Test
    void delay() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 0, 64);
        connect(peer);
        // example: delay
        qp.post(qp.newWorkRequest().delay(2_000_000).flags(WrFlags.UNSIGNALLED)); // 2 ms; other queue pairs continue
        qp.postSend(1, region, 0, 8, WrFlags.SIGNALLED);
        // end
        assertEquals(1, taken(cq));
    }

    @Test
    void inline() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 0, 64);
        connect(peer);
        // example: inline
        region.segment().setString(0, "first");
        qp.postSend(1, region, 0, 6, WrFlags.SIGNALLED.withInline()); // copied now
        region.segment().setString(0, "second"); // so the buffer can be reused at once
        // end
        taken(cq);
        taken(peerCq);
        assertEquals("first", peerRegion.segment().getString(0));
    }

    @Test
    void batch() throws Exception {
        connected();
        // example: batch
        qp.startBatch();
        for (int i = 0; i < 15; i++) {
            qp.postWrite(i, region, i * 8L, 8, remote, i * 8L, WrFlags.UNSIGNALLED);
        }
        qp.postWrite(15, region, 120, 8, remote, 120, WrFlags.SIGNALLED); // its completion implies all earlier ones
        qp.ringDoorbell(); // the RNIC processes all of them
        // end
        assertEquals(15, taken(cq));
    }

    @Test
    void sharedReceives() throws Exception {
        // example: srq
        SharedReceiveQueue srq = peerPd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(32));
        for (int i = 0; i < 8; i++) {
            srq.postReceive(i, peerRegion, i * 64L, 64); // for any queue pair of the SRQ
        }
        QueuePair peer = peerPd.createQueuePair(QueuePairOptions.of(peerCq).withSharedReceiveQueue(srq));
        srq.armLimit(8); // raises an event when fewer than 8 are left
        // end
        connect(peer);
        qp.postSend(1, region, 0, 8, WrFlags.SIGNALLED);
        taken(peerCq);
        // example: srq-event
        List<AsyncEvent> events = peerRnic.pollAsyncEvents(Duration.ofSeconds(5));
        assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, events.getFirst().type());
        // end
        assertEquals(7, srq.available());
    }

    @Test
    void bind() throws Exception {
        QueuePair peer = connected();
        // example: bind
        MemoryWindow window = peerPd.allocateWindow(); // at the side that owns the memory
        peer.post(peer.newWorkRequest()
                .bind(window, peerRegion, 100, 8, AccessRight.REMOTE_WRITE) // only the 8 bytes from offset 100
                .id(1));
        taken(peerCq); // as above: check its status
        RemoteRegion eightBytes = window.remote(); // send this to the peer
        // end
        qp.postWrite(1, region, 0, 8, eightBytes, 0, WrFlags.SIGNALLED);
        assertEquals(1, taken(cq));
        // example: unbind
        window.unbind(); // after the return nothing uses the range, and the key never matches again
        // end
        assertFalse(window.bound());
    }

    @Test
    void segmentOfAnotherProcess() throws Exception {
        SegmentOffer offer = offeredSegment();
        byte[] token = offer.token().toBytes();
        openSegment(token);
        // example: revoke-segment
        boolean released = offer.revoke(Duration.ofSeconds(5)); // unmaps the segment in the other processes
        List<Long> stillOpen = offer.processes(); // those that do not respond, for example stopped ones
        // end
        assertTrue(released);
        assertEquals(List.of(), stillOpen);
    }

    private SegmentOffer offeredSegment() throws Exception {
        // example: offer-segment
        AddressSpace space =
                rnic.openVirtualMemory(VirtualMemoryOptions.defaults()).createAddressSpace("owner");
        AddressSegment segment = space.mapShareable(1 << 20);
        SegmentOffer offer =
                segment.offer(SegmentOfferOptions.defaults().withWritable(true)); // one opening, one minute
        byte[] token = offer.token().toBytes(); // send this to the other process, and to no one else
        // end
        assertEquals(SegmentToken.ENCODED_BYTES, token.length);
        return offer;
    }

    private void openSegment(byte[] token) throws Exception {
        Rnic rnic = peerRnic;
        ProtectionDomain pd = peerPd;
        // example: open-segment
        AddressSpace space =
                rnic.openVirtualMemory(VirtualMemoryOptions.defaults()).createAddressSpace("opener");
        AddressSegment segment = space.open(SegmentToken.fromBytes(token), true); // in the other process
        segment.segment().orElseThrow().setString(0, "hello"); // the owner sees it
        MemoryRegion region = pd.register(segment, 0, segment.length(), AccessRight.REMOTE_READ);
        RemoteRegion forPeers = region.remote(); // a key of this process
        // end
        assertEquals(1 << 20, forPeers.length());
    }

    @Test
    void notification() throws Exception {
        QueuePair peer = peerPd.createQueuePair(peerCq);
        peer.postReceive(1, peerRegion, 0, 64);
        connect(peer);
        CountDownLatch ran = new CountDownLatch(1);
        // example: notification
        CqHandlerId handler = peerRnic.setCompletionHandler(ready -> {
            CompletionCursor cursor = ready.cursor();
            while (cursor.next()) { // until it is empty: one notification may cover several entries
                ran.countDown();
            }
            ready.requestNotification(Notification.NEXT); // then request the next notification
        });
        peerCq.handler(Optional.of(handler));
        peerCq.requestNotification(Notification.NEXT);
        // end
        qp.postSend(1, region, 0, 8, WrFlags.SIGNALLED);
        assertTrue(ran.await(1, TimeUnit.MINUTES));
    }

    @Test
    void progress() throws Exception {
        connected();
        CompletionQueue controlCq = rnic.createCompletionQueue(1);
        qp.postWrite(3, region, 0, 8, remote, 0, WrFlags.SIGNALLED);
        // example: progress
        CompletionCursor cursor = cq.cursor();
        CompletionCursor control = controlCq.cursor();
        long deadlineNs = System.nanoTime() + 5_000_000_000L;
        while (!cursor.next() && !control.next() && System.nanoTime() - deadlineNs < 0) { // check everything, then wait
            rnic.progress(Duration.ofMillis(100));
        }
        // end
        assertEquals(3, cursor.wrId());
    }

    @Test
    void overflow() throws Exception {
        CompletionQueue small = rnic.createCompletionQueue(CompletionQueueOptions.capacity(2));
        try (QueuePair other = pd.createQueuePair(QueuePairOptions.of(small))) {
            QueuePair peer = peerPd.createQueuePair(peerCq);
            Listener listener = peerRnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            rnic.startConnect(other, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(MINUTE).orElseThrow().accept(peer, ConnectionOptions.defaults());
            other.connection().orElseThrow().awaitEstablished(MINUTE);
            // example: overflow
            for (int i = 0; i < 3; i++) {
                other.postWrite(i, region, 0, 8, remote, 0, WrFlags.SIGNALLED); // 3 completions, and the CQ holds 2
            }
            List<AsyncEvent> events = rnic.pollAsyncEvents(Duration.ofSeconds(5));
            assertEquals(AsyncEventType.CQ_OVERFLOW, events.getFirst().type());
            // end
        }
    }

    @Test
    void accessOutsideOfTheRange_isReportedLater() throws Exception {
        connected();
        // example: late
        qp.postWrite(1, region, 0, 8, remote.address() + 4096, remote.rkey(), WrFlags.SIGNALLED);
        CompletionCursor write = cq.take(Duration.ofSeconds(5)); // SUCCESS: the bytes were sent
        boolean left = write.ok();
        qp.postRead(2, region, 0, 8, remote, 0, WrFlags.SIGNALLED);
        CompletionCursor read = cq.take(Duration.ofSeconds(5)); // the peer refused the Write and ended the connection
        boolean failed = !read.ok();
        // end
        assertTrue(failed);
        assertTrue(left || write.status() != CompletionStatus.SUCCESS);
    }

    @Test
    void clients_comeGoAndReturn() throws Exception {
        Listener listener = peerRnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketAddress server = listener.localAddress();
        rnic.startConnect(qp, server, ConnectionOptions.defaults());
        rnic.startConnect(pd.createQueuePair(cq), server, ConnectionOptions.defaults());
        // example: clients
        Map<Long, QueuePair> clients = new HashMap<>();
        while (clients.size() < 2) { // a server accepts until it is stopped
            ConnectionRequest request = listener.nextRequest(MINUTE).orElseThrow();
            QueuePair client = peerPd.createQueuePair(peerCq); // one CQ for all clients
            client.postReceive(client.number(), peerRegion, 0, 64); // the number says whose completion it is
            request.accept(client, ConnectionOptions.defaults());
            clients.put((long) client.number(), client);
        }
        // end
        qp.connection().orElseThrow().awaitEstablished(MINUTE);
        qp.connection().orElseThrow().disconnect();
        // example: departed
        CompletionCursor done = peerCq.take(MINUTE);
        if (!done.ok()) { // FLUSHED: this client has disconnected, or its process has ended
            Optional.ofNullable(clients.remove(done.wrId())).ifPresent(QueuePair::close);
        }
        // end
        assertEquals(1, clients.size());
        listener.onReady(() -> listener.nextRequest(Duration.ZERO)
                .ifPresent(
                        request -> request.startAccept(peerPd.createQueuePair(peerCq), ConnectionOptions.defaults())));
        // example: reconnect
        QueuePair fresh = pd.createQueuePair(cq); // regions and CQs are used again
        for (int attempt = 1; ; attempt++) {
            try {
                rnic.startConnect(fresh, server, ConnectionOptions.defaults()).awaitEstablished(Duration.ofSeconds(5));
                break;
            } catch (ConnectionException e) {
                fresh.close();
                if (attempt == 10) {
                    throw e;
                }
                Thread.sleep(Duration.ofMillis(50L << attempt)); // longer after each attempt
                fresh = pd.createQueuePair(cq);
            }
        }
        // end
        assertEquals(
                ConnectionState.ESTABLISHED, fresh.connection().orElseThrow().state());
    }
}
