package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;

/** Messages and the receives that they use. */
final class ReceiveCases {

    private static final ConnectionOptions WITHOUT_RETRIES =
            ConnectionOptions.defaults().withRetries(7, 0);

    private ReceiveCases() {}

    static final List<Case> ALL = List.of(
            of("a message shorter than its receive", "9 RECEIVE SUCCESS 8", s -> {
                s.connect();
                s.b.receive(9, 64);
                s.a.send(1, 8);
                return s.b.takesBytes();
            }),
            of("a message as long as its receive", "9 RECEIVE SUCCESS 8", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.send(1, 8);
                return s.b.takesBytes();
            }),
            of("a message of no bytes for an empty receive", "9 RECEIVE SUCCESS 0", s -> {
                s.connect();
                s.b.receive(9, 0);
                s.a.send(1, 0);
                return s.b.takesBytes();
            }),
            of(
                    "a message longer than its receive",
                    "7 RECEIVE LOCAL_LENGTH, 8 RECEIVE FLUSHED, 9 RECEIVE FLUSHED; FAILED and FAILED",
                    s -> {
                        s.connect();
                        s.b.receive(7, 4);
                        s.b.receive(8, 4);
                        s.b.receive(9, 4);
                        s.b.cq.size();
                        s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.UNSIGNALLED);
                        return s.b.takes(3) + "; " + s.ends();
                    }),
            of(
                    "the second message is longer than its receive",
                    "7 RECEIVE SUCCESS, 8 RECEIVE LOCAL_LENGTH, 9 RECEIVE FLUSHED",
                    s -> {
                        s.connect();
                        s.b.receive(7, 8);
                        s.b.receive(8, 4);
                        s.b.receive(9, 4);
                        s.a.send(1, 8);
                        s.a.send(2, 8);
                        return s.b.takes(3);
                    }),
            of("a long message longer than its receive", "7 RECEIVE LOCAL_LENGTH, 8 RECEIVE FLUSHED", s -> {
                s.connect();
                s.b.receive(7, 2000);
                s.b.receive(8, 4);
                s.a.send(1, 4000);
                return s.b.takes(2);
            }),
            of("the Send of a message longer than its receive", "1 SEND SUCCESS", s -> {
                s.connect();
                s.b.receive(7, 4);
                s.a.send(1, 8);
                return s.a.takes(1);
            }),
            of("Sends of the side whose receive is too short", "7 RECEIVE LOCAL_LENGTH, 5 DELAY FLUSHED", s -> {
                s.connect();
                s.b.receive(7, 4);
                s.b.post(s.b.qp.newWorkRequest().delay(2_000_000_000L), 5);
                s.a.send(1, 8);
                return s.b.takes(2);
            }),
            of("a receive in two elements", "9 RECEIVE SUCCESS 8 77", s -> {
                s.connect();
                s.b.qp.post(s.b.qp
                        .newWorkRequest()
                        .receive()
                        .scatter(s.b.memory, 0, 3)
                        .scatter(s.b.memory, 100, 5)
                        .id(9));
                s.a.memory.segment().set(ValueLayout.JAVA_BYTE, 3, (byte) 77);
                s.a.send(1, 8);
                return s.b.takesBytes() + " " + s.b.memory.segment().get(ValueLayout.JAVA_BYTE, 100);
            }),
            of("a receive into a region that does not permit local writes", "done", s -> {
                MemoryRegion region = s.b.pd.allocate(8, AccessRight.REMOTE_READ);
                return attempt(() -> s.b.qp.postReceive(1, region, 0, 8));
            }),
            of(
                    "a message for a receive whose region was closed",
                    "7 RECEIVE LOCAL_PROTECTION, 8 RECEIVE FLUSHED; FAILED and FAILED",
                    s -> {
                        s.connect();
                        MemoryRegion region = s.b.pd.allocate(8, AccessRight.LOCAL_WRITE);
                        s.b.qp.postReceive(7, region, 0, 8);
                        s.b.receive(8, 8);
                        region.close();
                        s.a.send(1, 8);
                        return s.b.takes(2) + "; " + s.ends();
                    }),
            of(
                    "a Send whose region was closed before it was sent",
                    "1 DELAY SUCCESS, 2 SEND LOCAL_PROTECTION; FAILED and FAILED",
                    s -> {
                        s.connect();
                        MemoryRegion region = s.a.pd.allocate(8);
                        s.a.post(s.a.qp.newWorkRequest().delay(20_000_000), 1);
                        s.a.qp.postSend(2, region, 0, 8, WrFlags.SIGNALLED);
                        region.close();
                        return s.a.takes(2) + "; " + s.ends();
                    }),
            of("messages use receives in their order", "7 RECEIVE SUCCESS 1, 8 RECEIVE SUCCESS 2", s -> {
                s.connect();
                s.b.receive(7, 8);
                s.b.receive(8, 8);
                s.a.send(1, 1);
                s.a.send(2, 2);
                return s.b.takesBytes() + ", " + s.b.takesBytes();
            }),
            of("receives before the connection", "9 RECEIVE SUCCESS", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.send(1, 8);
                return s.b.takes(1);
            }),
            of("a message without a receive and without retries", "FAILED and FAILED", s -> {
                s.connect(WITHOUT_RETRIES);
                // Before the message, which ends the connection at once: an end without work under way would be an
                // orderly one.
                s.b.post(s.b.qp.newWorkRequest().delay(2_000_000_000L), 5);
                s.a.send(1, 8);
                return s.ends();
            }),
            of("the Send of a message without a receive", "1 SEND SUCCESS", s -> {
                s.connect(WITHOUT_RETRIES);
                s.a.send(1, 8);
                return s.a.takes(1);
            }),
            of("a message whose receive is posted later", "9 RECEIVE FLUSHED", s -> {
                s.connect();
                s.a.send(1, 8);
                s.fromB().awaitClosed(Duration.ofSeconds(1)); // where there are no repetitions
                s.b.receive(9, 8);
                return s.b.takes(1);
            }),
            of("a Write with immediate data for an empty receive", "peer 9 RECEIVE_WRITE_IMMEDIATE SUCCESS 8", s -> {
                s.connect();
                s.b.receive(9, 0);
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .writeWithImmediate(s.b.memory.address(), s.b.memory.rkey(), 7)
                                .gather(s.a.memory, 0, 8),
                        1);
                return "peer " + s.b.takesBytes();
            }));
}
