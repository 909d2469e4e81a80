package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Completion queues: capacities, waits, changes and overflow. */
final class CompletionCases {

    private CompletionCases() {}

    static final List<Case> ALL = List.of(
            of("a CQ of no entries", "IllegalArgumentException", s -> attempt(() -> s.a.rnic.createCompletionQueue(0))),
            of(
                    "a CQ of a billion entries",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.rnic.createCompletionQueue(1_000_000_000))),
            of("the size of an empty CQ", "0", s -> answer(s.a.cq::size)),
            of("poll an empty CQ", "false", s -> answer(s.a.cursor::next)),
            of("await on an empty CQ without a timeout", "false", s -> answer(() -> s.a.cq.await(Duration.ZERO))),
            of("take from an empty CQ", "TimeoutException", s -> attempt(() -> s.a.cq.take(Duration.ofMillis(2)))),
            of(
                    "take with a negative timeout",
                    "TimeoutException",
                    s -> attempt(() -> s.a.cq.take(Duration.ofMillis(-2)))),
            of(
                    "read a cursor before its first entry",
                    "done",
                    s -> attempt(
                            () -> s.a.rnic.createCompletionQueue(8).cursor().wrId())),
            of("wait in an interrupted thread", "WaitInterruptedException", s -> {
                Thread.currentThread().interrupt();
                String outcome = attempt(() -> s.a.cq.await(Duration.ofSeconds(5)));
                Thread.interrupted();
                return outcome;
            }),
            of("close a CQ in use", "IllegalStateException", s -> attempt(s.a.cq::close)),
            of("close a CQ twice", "done", s -> {
                CompletionQueue cq = s.a.rnic.createCompletionQueue(8);
                return attempt(() -> {
                    cq.close();
                    cq.close();
                });
            }),
            of("poll a closed CQ", "false", s -> {
                CompletionQueue cq = s.a.rnic.createCompletionQueue(8);
                var cursor = cq.cursor();
                cq.close();
                return answer(cursor::next);
            }),
            of("await on a closed CQ", "false", s -> {
                CompletionQueue cq = s.a.rnic.createCompletionQueue(8);
                cq.close();
                return answer(() -> cq.await(Duration.ofMillis(2)));
            }),
            of("resize to no entries", "IllegalArgumentException", s -> attempt(() -> s.a.cq.resize(0))),
            of(
                    "resize to more entries",
                    "done true",
                    s -> attempt(() -> s.a.cq.resize(200)) + " " + (s.a.cq.capacity() >= 200)),
            of("resize to fewer entries than it holds", "IllegalArgumentException", s -> {
                s.connect();
                for (int i = 0; i < 4; i++) {
                    s.a.post(s.a.qp.newWorkRequest().delay(0), i);
                }
                s.becomes(() -> s.a.cq.size() == 4);
                return attempt(() -> s.a.cq.resize(2));
            }),
            of(
                    "a moderation with a negative count",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.cq.moderate(-1, Duration.ofMillis(1)))),
            of(
                    "a notification without a handler",
                    "done",
                    s -> attempt(() -> s.a.cq.requestNotification(Notification.NEXT))),
            of("a handler that was removed", "IllegalArgumentException", s -> {
                CqHandlerId id = s.a.rnic.setCompletionHandler(cq -> {});
                s.a.rnic.removeCompletionHandler(id);
                return attempt(() -> s.a.cq.handler(Optional.of(id)));
            }),
            of("remove a handler twice", "IllegalArgumentException", s -> {
                CqHandlerId id = s.a.rnic.setCompletionHandler(cq -> {});
                s.a.rnic.removeCompletionHandler(id);
                return attempt(() -> s.a.rnic.removeCompletionHandler(id));
            }),
            of("more completions than a CQ holds", "true FAILED", s -> {
                CompletionQueue small = s.a.rnic.createCompletionQueue(2);
                s.a.qp.close();
                s.a.qp = s.a.pd.createQueuePair(QueuePairOptions.of(small).withDepths(8, 8));
                s.connect();
                int capacity = small.capacity();
                for (int i = 0; i <= capacity; i++) {
                    s.becomes(() -> true);
                    s.a.qp.post(s.a.qp.newWorkRequest().delay(0).id(i).flags(WrFlags.SIGNALLED));
                }
                s.fromA().awaitClosed(Scene.PATIENCE);
                return small.overflowed() + " " + s.fromA().state();
            }),
            of("the queue pair of a completion", "true", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().delay(0), 1);
                s.a.takes(1);
                return answer(
                        () -> s.a.cursor.queuePair() == s.a.qp && s.a.cursor.queuePairNumber() == s.a.qp.number());
            }),
            of("the reason of a good completion", "false", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().delay(0), 1);
                s.a.takes(1);
                return answer(() -> s.a.cursor.reason().isEmpty());
            }),
            of("a failed completion has a reason", "false", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().localInvalidate(5), 1);
                s.a.takes(1);
                return answer(() -> s.a.cursor.reason().isEmpty());
            }));
}
