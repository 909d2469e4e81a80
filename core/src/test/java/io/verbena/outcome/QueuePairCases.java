package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.TransportService;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Creation, options, changes and ends of queue pairs. */
final class QueuePairCases {

    private QueuePairCases() {}

    static final List<Case> ALL = List.of(
            of(
                    "a queue pair without send depth",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withDepths(0, 8))),
            of(
                    "a queue pair without receive depth",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withDepths(8, 0))),
            of(
                    "a queue pair with a send depth of 100,000",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withDepths(100_000, 8))),
            of(
                    "a queue pair with a negative number of elements",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withElements(-1, 1))),
            of(
                    "a queue pair with 1,000 elements",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withElements(1_000, 1))),
            of(
                    "a queue pair with negative inline bytes",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withMaxInlineBytes(-1))),
            of(
                    "a queue pair with 1 MiB of inline bytes",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withMaxInlineBytes(1 << 20))),
            of(
                    "a queue pair with 1,000 Reads",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withReads(1_000, 1))),
            of(
                    "a queue pair with a negative number of Reads",
                    "IllegalArgumentException",
                    s -> create(s, it -> it.withReads(1, -1))),
            of(
                    "a queue pair of unreliable datagrams",
                    "UnsupportedOperationException",
                    s -> create(s, it -> it.withService(TransportService.UNRELIABLE_DATAGRAM))),
            of(
                    "a queue pair of unreliable connections",
                    "UnsupportedOperationException",
                    s -> create(s, it -> it.withService(TransportService.UNRELIABLE_CONNECTION))),
            of(
                    "a queue pair of raw datagrams",
                    "UnsupportedOperationException",
                    s -> create(s, it -> it.withService(TransportService.RAW_DATAGRAM))),
            of(
                    "a queue pair of reliable datagrams without a domain",
                    "UnsupportedOperationException",
                    s -> create(s, it -> it.withService(TransportService.RELIABLE_DATAGRAM))),
            of(
                    "a queue pair with the CQ of another RNIC",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.createQueuePair(s.b.cq))),
            of("a queue pair with a closed CQ", "IllegalStateException", s -> {
                CompletionQueue cq = s.a.rnic.createCompletionQueue(8);
                cq.close();
                return attempt(() -> s.a.pd.createQueuePair(cq));
            }),
            of("a queue pair in a closed domain", "IllegalStateException", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                pd.close();
                return attempt(() -> pd.createQueuePair(s.a.cq));
            }),
            of("the context of a queue pair", "mine", s -> {
                s.a.with(it -> it.withContext("mine"));
                return answer(s.a.qp::context);
            }),
            of("the connection of an unconnected queue pair", "Optional.empty", s -> answer(s.a.qp::connection)),
            of("the outstanding work of an unconnected queue pair", "0 and 1", s -> {
                s.a.receive(1, 8);
                return answer(() -> s.a.qp.query().sendOutstanding() + " and "
                        + s.a.qp.query().receiveOutstanding());
            }),
            of(
                    "close a queue pair twice",
                    "done",
                    s -> attempt(() -> {
                        s.a.qp.close();
                        s.a.qp.close();
                    })),
            of("query a closed queue pair", "done", s -> {
                s.a.qp.close();
                return attempt(s.a.qp::query);
            }),
            of("modify a closed queue pair", "IllegalStateException", s -> {
                s.a.qp.close();
                return attempt(() -> s.a.qp.modify(QueuePairChange.rights(Set.of())));
            }),
            of("an empty change", "done", s -> attempt(() -> s.a.qp.modify(QueuePairChange.none()))),
            of(
                    "a right of the peer that is local",
                    "done",
                    s -> attempt(() -> s.a.qp.modify(QueuePairChange.rights(Set.of(AccessRight.LOCAL_WRITE))))),
            of(
                    "join a group with a connected service",
                    "UnsupportedOperationException",
                    s -> attempt(() -> s.a.qp.joinGroup(InetAddress.ofLiteral("239.1.2.3")))),
            of(
                    "leave a group with a connected service",
                    "UnsupportedOperationException",
                    s -> attempt(() -> s.a.qp.leaveGroup(InetAddress.ofLiteral("239.1.2.3")))),
            of(
                    "steer frames to a connected service",
                    "UnsupportedOperationException",
                    s -> attempt(() -> s.a.qp.steer(OptionalInt.of(58), Optional.empty()))));

    private static String create(Scene s, UnaryOperator<QueuePairOptions> change) {
        return attempt(() -> s.closing(s.a.pd.createQueuePair(change.apply(QueuePairOptions.of(s.a.cq)))));
    }
}
