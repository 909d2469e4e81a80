package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Queue pairs: creation, attributes, states by hand, datagrams. */
final class QueuePairAssertions {

    static final int QKEY = 0x01234567;

    private QueuePairAssertions() {}

    static final List<Case> ALL = List.of(
            of("test_create_rc_qp", "done", s -> create(s, TransportService.RELIABLE_CONNECTION, it -> it)),
            of("test_create_uc_qp", "done", s -> create(s, TransportService.UNRELIABLE_CONNECTION, it -> it)),
            of("test_create_ud_qp", "done", s -> create(s, TransportService.UNRELIABLE_DATAGRAM, it -> it)),
            of(
                    "test_create_rc_qp_with_attr",
                    "done",
                    s -> create(
                            s,
                            TransportService.RELIABLE_CONNECTION,
                            it -> it.withDepths(16, 32)
                                    .withElements(2, 2)
                                    .withMaxInlineBytes(64)
                                    .withReads(2, 2))),
            of(
                    "test_create_qp, a depth of 0",
                    "IllegalArgumentException",
                    s -> create(s, TransportService.RELIABLE_CONNECTION, it -> it.withDepths(0, 8))),
            of(
                    "test_create_qp, too many elements",
                    "IllegalArgumentException",
                    s -> create(s, TransportService.RELIABLE_CONNECTION, it -> it.withElements(100_000, 1))),
            of("test_query_rc_qp", "RELIABLE_CONNECTION 8 8 true", s -> {
                s.connect();
                var query = s.a.qp.query();
                return query.options().service() + " " + query.options().sendDepth() + " "
                        + query.options().receiveDepth() + " "
                        + (query.number() == s.a.qp.number());
            }),
            of("test_query_rc_qp, its ports", "true true", s -> {
                s.connect();
                var query = s.a.qp.query();
                return query.localPort().isPresent() + " " + query.remotePort().isPresent();
            }),
            of("test_query_qp, work", "1 1", s -> {
                s.connect();
                s.a.receive(1, 8);
                s.a.post(s.a.qp.newWorkRequest().delay(500_000_000), 2);
                var query = s.a.qp.query();
                return query.sendOutstanding() + " " + query.receiveOutstanding();
            }),
            of("test_modify_rc_qp_rd_atomic", "true true", s -> {
                s.a.with(it -> it.withReads(3, 2));
                s.b.with(it -> it.withReads(4, 1));
                s.connect();
                var query = s.a.qp.query();
                return (query.inboundReads() <= 3 && query.inboundReads() >= 1) + " "
                        + (query.outboundReads() <= 2 && query.outboundReads() >= 1);
            }),
            of("test_modify_ud_qp", "RTS", s -> {
                QueuePair queuePair = datagrams(s.a);
                return answer(queuePair::state);
            }),
            of("test_modify_rc_qp, by hand", "RTS; 1 WRITE SUCCESS", s -> {
                Side peer = peer(s);
                byHand(s, peer);
                s.a.qp.postWrite(1, s.a.memory, 0, 8, peer.memory.remote(), 0, WrFlags.SIGNALLED);
                return s.a.qp.state() + "; " + s.a.takes(1);
            }),
            of("test_modify_rc_qp, to ERR", "9 RECEIVE FLUSHED", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.b.qp.modify(QueuePairChange.to(
                        s.b.qp.state() instanceof InfinibandQueuePairState
                                ? InfinibandQueuePairState.ERR
                                : IwarpQueuePairState.ERROR));
                return s.b.takes(1);
            }),
            of("test_modify_qp, rights of the peer", "1 READ FAILED", s -> {
                s.connect();
                s.b.qp.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_WRITE)));
                s.a.qp.postRead(1, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED);
                String entry = s.a.takes(1);
                return entry.replaceAll("REMOTE_ACCESS|REMOTE_INVALID_REQUEST", "FAILED");
            }),
            of("test_qp_ex_ud_send", "1 SEND SUCCESS; 9 RECEIVE SUCCESS", s -> datagram(s, peer(s), 8, it -> it)),
            of("test_qp_ex_ud_zero_size", "1 SEND SUCCESS; 9 RECEIVE SUCCESS", s -> datagram(s, peer(s), 0, it -> it)),
            of("test_qp_ex_ud_send_imm", "1 SEND SUCCESS; 9 RECEIVE SUCCESS; 7", s -> {
                Side peer = peer(s);
                String outcome =
                        datagram(s, peer, 8, _ -> s.a.qp.newWorkRequest().sendWithImmediate(7));
                return outcome + "; " + peer.cursor.immediate();
            }),
            of("test_ud_send, its source", "true", s -> {
                Side peer = peer(s);
                datagram(s, peer, 8, it -> it);
                return String.valueOf(peer.cursor.sourceQueuePairNumber() == s.a.qp.number());
            }),
            of("test_create_ah", "done", s -> attempt(() -> handle(s).close())),
            of("test_ud_send, without a handle", "IllegalArgumentException", s -> {
                s.a.qp.close();
                s.a.qp = datagrams(s.a);
                return attempt(() -> s.a.post(s.a.qp.newWorkRequest().send().gather(s.a.memory, 0, 8), 1));
            }));

    private static String create(Scene s, TransportService service, UnaryOperator<QueuePairOptions> change) {
        return attempt(() -> s.a.pd
                .createQueuePair(change.apply(QueuePairOptions.of(s.a.cq)).withService(service))
                .close());
    }

    private static AddressHandle handle(Scene s) {
        return s.closing(s.a.pd.createAddressHandle(AddressHandleAttributes.to(s.address(s.a))));
    }

    /** A queue pair of datagrams in RTS. */
    static QueuePair datagrams(Side side) {
        QueuePair queuePair = side.pd.createQueuePair(
                QueuePairOptions.of(side.cq).withDepths(8, 8).withService(TransportService.UNRELIABLE_DATAGRAM));
        PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(java.net.InetAddress.getLoopbackAddress()))
                .withPartition(0, QKEY);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        return queuePair;
    }

    /** A side on the RNIC of A: how an RNIC is reached without a connection manager is a matter of its provider. */
    private static Side peer(Scene s) {
        Side peer = new Side(s.a.rnic);
        AutoCloseable _ = s.closing((AutoCloseable) peer::close);
        return peer;
    }

    private static String datagram(Scene s, Side peer, int length, UnaryOperator<WorkRequest> change) {
        s.a.qp.close();
        peer.qp.close();
        s.a.qp = datagrams(s.a);
        peer.qp = datagrams(peer);
        peer.receive(9, 512);
        WorkRequest request = change.apply(s.a.qp.newWorkRequest().send());
        s.a.post(request.gather(s.a.memory, 0, length).to(handle(s), peer.qp.number(), QKEY), 1);
        return s.a.takes(1) + "; " + peer.takes(1);
    }

    /** Connects the queue pairs of both sides without a connection manager. */
    private static void byHand(Scene s, Side peer) {
        for (Side side : List.of(s.a, peer)) {
            int other = (side == s.a ? peer : s.a).qp.number();
            PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(s.address(s.a)))
                    .withSequences(7, 7);
            side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withRemote(other, path));
            side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        }
    }
}
