package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import java.util.List;
import java.util.function.UnaryOperator;

/** Shared receive queues. */
final class SharedReceiveCases {

    private SharedReceiveCases() {}

    static final List<Case> ALL = List.of(
            of(
                    "an SRQ of no receives",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(0)))),
            of(
                    "an SRQ of 100,000 receives",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(100_000)))),
            of("a receive depth of 0 with an SRQ", "done", s -> attempt(() -> shared(s, it -> it.withDepths(8, 0)))),
            of(
                    "a receive depth of 100,000 with an SRQ",
                    "done",
                    s -> attempt(() -> shared(s, it -> it.withDepths(8, 100_000)))),
            of(
                    "a negative receive depth with an SRQ",
                    "done",
                    s -> attempt(() -> shared(s, it -> it.withDepths(8, -1)))),
            of(
                    "1,000 scatter elements with an SRQ",
                    "done",
                    s -> attempt(() -> shared(s, it -> it.withElements(1, 1_000)))),
            of("an SRQ of another domain", "IllegalArgumentException", s -> {
                SharedReceiveQueue srq = s.b.rnic
                        .allocateProtectionDomain()
                        .createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
                return attempt(() -> s.b.with(it -> it.withSharedReceiveQueue(srq)));
            }),
            of("post a receive to a queue pair with an SRQ", "IllegalStateException", s -> {
                shared(s, it -> it);
                return attempt(() -> s.b.receive(1, 8));
            }),
            of("post a Send to an SRQ", "IllegalArgumentException", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                return attempt(() -> srq.post(s.b.qp.newWorkRequest().send().gather(s.b.memory, 0, 8)));
            }),
            of("post more receives than an SRQ holds", "8", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                return answer(() -> {
                    int count = 0;
                    while (count < 100 && srq.postReceive(count, s.b.memory, 0, 8)) {
                        count++;
                    }
                    return count;
                });
            }),
            of("a message through an SRQ", "9 RECEIVE SUCCESS 8 0", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                srq.postReceive(9, s.b.memory, 0, 8);
                s.connect();
                s.a.send(1, 8);
                return s.b.takesBytes() + " " + srq.available();
            }),
            of(
                    "a message longer than the receive of an SRQ",
                    "8 RECEIVE LOCAL_LENGTH; FAILED and FAILED; 1 left",
                    s -> {
                        SharedReceiveQueue srq = shared(s, it -> it);
                        srq.postReceive(8, s.b.memory, 0, 4);
                        srq.postReceive(9, s.b.memory, 0, 4);
                        s.connect();
                        s.a.send(1, 8);
                        return s.b.takes(1) + "; " + s.ends() + "; " + srq.available() + " left";
                    }),
            of("close a queue pair with an SRQ", "nothing; 1 left", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                srq.postReceive(9, s.b.memory, 0, 8);
                s.connect();
                s.b.qp.close();
                return s.b.takesNothing() + "; " + srq.available() + " left";
            }),
            of(
                    "close an SRQ in use",
                    "IllegalStateException",
                    s -> attempt(() -> shared(s, it -> it).close())),
            of("post to a closed SRQ", "IllegalStateException", s -> {
                SharedReceiveQueue srq = s.b.pd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
                srq.close();
                return attempt(() -> srq.postReceive(1, s.b.memory, 0, 8));
            }),
            of(
                    "a negative limit of an SRQ",
                    "IllegalArgumentException",
                    s -> attempt(() -> shared(s, it -> it).armLimit(-1))),
            of(
                    "a limit above the depth of an SRQ",
                    "IllegalArgumentException",
                    s -> attempt(() -> shared(s, it -> it).armLimit(1_000))),
            of("the limit of an SRQ is reached", "SRQ_LIMIT_REACHED", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                srq.postReceive(8, s.b.memory, 0, 8);
                srq.postReceive(9, s.b.memory, 0, 8);
                srq.armLimit(2);
                s.connect();
                s.a.send(1, 8);
                s.b.takes(1);
                return s.event(s.b, AsyncEventType.SRQ_LIMIT_REACHED);
            }),
            of("the end of a queue pair with an SRQ", "LAST_WQE_REACHED", s -> {
                SharedReceiveQueue srq = shared(s, it -> it);
                srq.postReceive(9, s.b.memory, 0, 4);
                s.connect();
                s.a.send(1, 8);
                return s.event(s.b, AsyncEventType.LAST_WQE_REACHED);
            }));

    /** Gives B a queue pair with an SRQ. */
    private static SharedReceiveQueue shared(Scene s, UnaryOperator<QueuePairOptions> change) {
        SharedReceiveQueue srq = s.b.pd.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
        s.b.with(it -> change.apply(it).withSharedReceiveQueue(srq));
        return srq;
    }
}
