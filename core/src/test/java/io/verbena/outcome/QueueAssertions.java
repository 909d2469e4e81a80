package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Completion queues, their events, shared receive queues, and the connection manager. */
final class QueueAssertions {

    private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

    /** Stands for all members of a group. */
    private static final int GROUP_QUEUE_PAIR = 0xff_ffff;

    private QueueAssertions() {}

    static final List<Case> ALL = List.of(
            of("test_create_cq", "true", s -> {
                CompletionQueue cq = s.closing(s.a.rnic.createCompletionQueue(100));
                return String.valueOf(cq.capacity() >= 100);
            }),
            of(
                    "test_create_cq_bad_flow",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.rnic.createCompletionQueue(0))),
            of("test_create_cq_with_comp_channel", "1 run; 9 RECEIVE SUCCESS", s -> notified(s, Notification.NEXT)),
            of("test_resize_cq", "9 RECEIVE SUCCESS, 10 RECEIVE SUCCESS; true", s -> {
                s.b.receive(9, 8);
                s.b.receive(10, 8);
                s.connect();
                s.a.send(1, 8);
                s.b.cq.await(Scene.PATIENCE);
                s.b.cq.resize(200);
                s.a.send(2, 8);
                return s.b.takes(2) + "; " + (s.b.cq.capacity() >= 200);
            }),
            of("test_destroy_cq_busy", "IllegalStateException", s -> attempt(s.a.cq::close)),
            of("test_cq_events_rc, solicited", "1 run; 9 RECEIVE SUCCESS", s -> notified(s, Notification.SOLICITED)),
            of("test_cq_await", "false then true", s -> {
                s.b.receive(9, 8);
                s.connect();
                boolean before = s.b.cq.await(Duration.ofMillis(5));
                s.a.send(1, 8);
                return before + " then " + s.b.cq.await(Scene.PATIENCE);
            }),
            of("test_rc_srq_traffic", "7 RECEIVE SUCCESS 8, 8 RECEIVE SUCCESS 4", s -> {
                SharedReceiveQueue srq = shared(s);
                srq.postReceive(7, s.b.memory, 0, 8);
                srq.postReceive(8, s.b.memory, 8, 8);
                s.connect();
                s.a.send(1, 8);
                s.a.send(2, 4);
                return s.b.takesBytes() + ", " + s.b.takesBytes();
            }),
            of("test_rc_srq_traffic, 100 messages", "100", s -> {
                SharedReceiveQueue srq = shared(s);
                srq.postReceive(0, s.b.memory, 0, 8);
                s.connect();
                int received = 0;
                while (received < 100) {
                    s.a.send(received, 8);
                    if (!s.b.takes(1).equals(received + " RECEIVE SUCCESS")
                            || !s.a.takes(1).contains("SUCCESS")) {
                        break;
                    }
                    srq.postReceive(++received, s.b.memory, 0, 8);
                }
                return String.valueOf(received);
            }),
            of("test_srq_limit", "SRQ_LIMIT_REACHED", s -> {
                SharedReceiveQueue srq = shared(s);
                srq.postReceive(8, s.b.memory, 0, 8);
                srq.postReceive(9, s.b.memory, 0, 8);
                srq.armLimit(2);
                s.connect();
                s.a.send(1, 8);
                s.b.takes(1);
                return s.event(s.b, AsyncEventType.SRQ_LIMIT_REACHED);
            }),
            of("test_srq_full", "8", s -> {
                SharedReceiveQueue srq = shared(s);
                return answer(() -> {
                    int count = 0;
                    while (count < 100 && srq.postReceive(count, s.b.memory, 0, 8)) {
                        count++;
                    }
                    return count;
                });
            }),
            of(
                    "test_destroy_srq_busy",
                    "IllegalStateException",
                    s -> attempt(() -> shared(s).close())),
            of("test_rdmacm_sync_traffic", "ESTABLISHED and ESTABLISHED; 9 RECEIVE SUCCESS", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.send(1, 8);
                return s.fromA().state() + " and " + s.fromB().state() + "; " + s.b.takes(1);
            }),
            of("test_rdmacm_async_traffic, private data", "asked; answered", s -> {
                ConnectionRequest request =
                        s.request(ConnectionOptions.defaults().withPrivateData(text("asked")));
                s.closing(closes(
                        request.startAccept(s.b.qp, ConnectionOptions.defaults().withPrivateData(text("answered")))));
                s.fromA().awaitEstablished(Scene.PATIENCE);
                return text(request.privateData()) + "; " + text(s.fromA().privateData());
            }),
            of("test_rdmacm_async_reject_traffic", "ConnectionException REJECTED; REJECTED", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.reject(text("no"));
                String outcome = attempt(() -> s.fromA().awaitEstablished(Scene.PATIENCE));
                return outcome + "; " + s.fromA().state();
            }),
            of("test_rdmacm, no listener", "ConnectionException REFUSED", s -> {
                Listener listener = s.b.rnic.listen(new InetSocketAddress(s.provider.address(), 0));
                listener.close();
                return attempt(() -> s.a.rnic.connect(s.a.qp, listener.localAddress()));
            }),
            of("test_rdmacm, the address is in use", "IOException", s -> {
                Listener listener = s.listen();
                return attempt(() -> s.b.rnic.listen(listener.localAddress()));
            }),
            of("test_rdmacm, disconnect", "CLOSED and CLOSED; 9 RECEIVE FLUSHED", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.fromA().disconnect();
                return s.ends() + "; " + s.b.takes(1);
            }),
            of("test_rdmacm, the peer closes its queue pair", "9 RECEIVE FLUSHED; ended", s -> {
                s.a.receive(9, 8);
                s.connect();
                s.b.qp.close();
                String flushed = s.a.takes(1);
                s.fromA().awaitClosed(Scene.PATIENCE);
                ConnectionState state = s.fromA().state();
                boolean ended = state == ConnectionState.CLOSED || state == ConnectionState.FAILED;
                return flushed + (ended ? "; ended" : "; " + state);
            }),
            of("test_rdmacm_async_ex_multicast_traffic", "1 SEND SUCCESS; 9 RECEIVE SUCCESS 48; left: nothing", s -> {
                becomesDatagrams(s);
                s.b.qp.joinGroup(GROUP);
                AddressHandle group = s.closing(s.a.pd.createAddressHandle(AddressHandleAttributes.to(GROUP)));
                s.b.receive(9, 512);
                s.b.receive(10, 512);
                sends(s, group, GROUP_QUEUE_PAIR, QueuePairAssertions.QKEY);
                String arrived = s.a.takes(1) + "; " + s.b.takesBytes();
                s.b.qp.leaveGroup(GROUP);
                sends(s, group, GROUP_QUEUE_PAIR, QueuePairAssertions.QKEY);
                s.a.takes(1);
                return arrived + "; left: " + s.b.takesNothing();
            }),
            of(
                    "test_rdmacm_async_udp_traffic",
                    "asked for datagrams true; answered; 1 SEND SUCCESS; 9 RECEIVE SUCCESS 48",
                    s -> {
                        becomesDatagrams(s);
                        Listener listener = s.listen();
                        CompletableFuture<String> asked = new CompletableFuture<>();
                        listener.onReady(() ->
                                listener.nextRequest(Duration.ZERO).ifPresent(request -> serve(s, request, asked)));
                        DatagramPeer peer = s.a.rnic.lookUp(
                                listener.localAddress(),
                                ConnectionOptions.defaults()
                                        .withTimeout(Duration.ofSeconds(20))
                                        .withPrivateData(text("asked")));
                        s.b.receive(9, 512);
                        sends(
                                s,
                                s.closing(s.a.pd.createAddressHandle(peer.address())),
                                peer.queuePairNumber(),
                                peer.qkey());
                        return asked.join() + "; " + text(peer.privateData()) + "; " + s.a.takes(1) + "; "
                                + s.b.takesBytes();
                    }),
            of(
                    "test_rdmacm_async_udp_traffic, no service",
                    "ConnectionException REFUSED",
                    s -> answer(() -> s.a.rnic.lookUp(
                            new InetSocketAddress(s.address(s.a), 9),
                            ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(20))))));

    /** Gives both sides queue pairs of datagrams. */
    private static void becomesDatagrams(Scene s) {
        for (Side side : List.of(s.a, s.b)) {
            side.qp.close();
            side.qp = QueuePairAssertions.datagrams(side);
        }
    }

    private static void sends(Scene s, AddressHandle to, int queuePair, int qkey) {
        s.a.post(s.a.qp.newWorkRequest().send().gather(s.a.memory, 0, 8).to(to, queuePair, qkey), 1);
    }

    private static void serve(Scene s, ConnectionRequest request, CompletableFuture<String> asked) {
        asked.complete(text(request.privateData()) + " for datagrams " + request.forDatagrams());
        request.acceptDatagrams(s.b.qp, QueuePairAssertions.QKEY, text("answered"));
    }

    private static AutoCloseable closes(io.verbena.verbs.Connection connection) {
        return connection::close;
    }

    private static byte[] text(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** Private data without the padding that InfiniBand adds. */
    private static String text(byte[] data) {
        int length = 0;
        while (length < data.length && data[length] != 0) {
            length++;
        }
        return new String(Arrays.copyOf(data, length), java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static SharedReceiveQueue shared(Scene s) {
        SharedReceiveQueue srq = s.b.pd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
        s.b.with(it -> it.withSharedReceiveQueue(srq));
        return srq;
    }

    /** Requests a notification, and counts the runs of the handler until the entry is there. */
    private static String notified(Scene s, Notification kind) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CqHandlerId id = s.b.rnic.setCompletionHandler(_ -> runs.incrementAndGet());
        s.b.cq.handler(Optional.of(id));
        s.b.receive(9, 8);
        s.connect();
        s.b.cq.requestNotification(kind);
        s.a.qp.postSend(1, s.a.memory, 0, 8, io.verbena.verbs.WrFlags.SIGNALLED.withSolicited());
        s.becomes(() -> runs.get() > 0);
        String entry = s.b.takes(1);
        s.b.cq.handler(Optional.empty());
        s.b.rnic.removeCompletionHandler(id);
        return runs + " run; " + entry;
    }
}
