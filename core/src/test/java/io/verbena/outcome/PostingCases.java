package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.util.List;

/** Posting: what is refused at once, and what completes. */
final class PostingCases {

    private PostingCases() {}

    static final List<Case> ALL = List.of(
            of("post a negative length", "IllegalArgumentException", s -> attempt(() -> s.a.send(1, -1))),
            of(
                    "post beyond a region",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postSend(1, s.a.memory, Side.BYTES - 4, 8, WrFlags.SIGNALLED))),
            of(
                    "post from a negative offset",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postSend(1, s.a.memory, -1, 8, WrFlags.SIGNALLED))),
            of("post a region of another domain", "IllegalArgumentException", s -> {
                MemoryRegion region = s.a.rnic.allocateProtectionDomain().allocate(8);
                return attempt(() -> s.a.qp.postSend(1, region, 0, 8, WrFlags.SIGNALLED));
            }),
            of(
                    "post a region of another RNIC",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postSend(1, s.b.memory, 0, 8, WrFlags.SIGNALLED))),
            of("post a closed region", "IllegalStateException", s -> {
                MemoryRegion region = s.a.pd.allocate(8);
                region.close();
                return attempt(() -> s.a.qp.postSend(1, region, 0, 8, WrFlags.SIGNALLED));
            }),
            of("post to a closed queue pair", "IllegalStateException", s -> {
                s.a.qp.close();
                return attempt(() -> s.a.send(1, 8));
            }),
            of("post a receive to a closed queue pair", "IllegalStateException", s -> {
                s.a.qp.close();
                return attempt(() -> s.a.receive(1, 8));
            }),
            of(
                    "post too many inline bytes",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postSend(1, s.a.memory, 0, 65, WrFlags.SIGNALLED.withInline()))),
            of(
                    "post an inline Read",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postRead(
                            1, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED.withInline()))),
            of(
                    "post an inline receive",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.post(s.a.qp
                            .newWorkRequest()
                            .receive()
                            .scatter(s.a.memory, 0, 8)
                            .flags(WrFlags.SIGNALLED.withInline())))),
            of("post too many elements", "IllegalArgumentException", s -> {
                WorkRequest request = s.a.qp.newWorkRequest().send();
                return attempt(() -> {
                    for (int i = 0; i < 5; i++) {
                        request.gather(s.a.memory, 0, 8);
                    }
                });
            }),
            of(
                    "post a negative delay",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.newWorkRequest().delay(-1))),
            of(
                    "post an atomic with an element of 4 bytes",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.post(
                            s.a.qp.newWorkRequest().fetchAndAdd(0, 0, 1).scatter(s.a.memory, 0, 4)))),
            of(
                    "post an atomic with two elements",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.post(s.a.qp
                            .newWorkRequest()
                            .fetchAndAdd(0, 0, 1)
                            .scatter(s.a.memory, 0, 8)
                            .scatter(s.a.memory, 8, 8)))),
            of("post more receives than the queue holds", "8", s -> {
                return answer(() -> {
                    boolean taken = true;
                    int count = 0;
                    while (taken && count < 100) {
                        taken = s.a.qp.postReceive(count, s.a.memory, 0, 8);
                        count += taken ? 1 : 0;
                    }
                    return count;
                });
            }),
            of("post more Sends than the queue holds", "8", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().delay(1_000_000_000L), 1);
                return answer(() -> {
                    boolean taken = true;
                    int count = 1;
                    while (taken && count < 100) {
                        taken = s.a.qp.postSend(count, s.a.memory, 0, 8, WrFlags.SIGNALLED);
                        count += taken ? 1 : 0;
                    }
                    return count;
                });
            }),
            of(
                    "post a Send before the connection",
                    "IllegalStateException",
                    s -> answer(() -> s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.SIGNALLED))),
            of(
                    "post a receive template through a queue pair",
                    "true",
                    s -> answer(
                            () -> s.a.qp.post(s.a.qp.newWorkRequest().receive().scatter(s.a.memory, 0, 8)))),
            of("Send of no bytes", "1 SEND SUCCESS 0; peer 9 RECEIVE SUCCESS 0", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.send(1, 0);
                return s.a.takesBytes() + "; peer " + s.b.takesBytes();
            }),
            of("unsignalled Send", "peer 9 RECEIVE SUCCESS; nothing", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.UNSIGNALLED);
                return "peer " + s.b.takes(1) + "; " + s.a.takesNothing();
            }),
            of("unsignalled Send of a queue pair that signals all", "1 SEND SUCCESS", s -> {
                s.a.with(it -> it.withSignalAll(true));
                s.connect();
                s.b.receive(9, 8);
                s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.UNSIGNALLED);
                return s.a.takes(1);
            }),
            of("Send from two elements", "1 SEND SUCCESS 8; peer 9 RECEIVE SUCCESS 8", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.post(s.a.qp.newWorkRequest().send().gather(s.a.memory, 0, 3).gather(s.a.memory, 9, 5), 1);
                return s.a.takesBytes() + "; peer " + s.b.takesBytes();
            }),
            of("inline Send", "1 SEND SUCCESS", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.SIGNALLED.withInline());
                return s.a.takes(1);
            }),
            of("a batch", "nothing; 1 SEND SUCCESS, 2 SEND SUCCESS", s -> {
                s.connect();
                s.b.receive(8, 8);
                s.b.receive(9, 8);
                s.a.qp.startBatch();
                s.a.send(1, 8);
                s.a.send(2, 8);
                String before = s.a.takesNothing();
                s.a.qp.ringDoorbell();
                return before + "; " + s.a.takes(2);
            }),
            of("a delay", "1 DELAY SUCCESS", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().delay(1_000), 1);
                return s.a.takes(1);
            }),
            of(
                    "Send with immediate data and no payload",
                    "1 SEND SUCCESS; peer 9 RECEIVE_IMMEDIATE SUCCESS true 7",
                    s -> {
                        s.connect();
                        s.b.receive(9, 8);
                        s.a.post(s.a.qp.newWorkRequest().sendWithImmediate(7), 1);
                        return s.a.takes(1) + "; peer " + s.b.takes(1) + " " + s.b.cursor.hasImmediate() + " "
                                + s.b.cursor.immediate();
                    }),
            of("Send with immediate data and payload", "UnsupportedOperationException", s -> {
                s.connect();
                return attempt(() ->
                        s.a.post(s.a.qp.newWorkRequest().sendWithImmediate(7).gather(s.a.memory, 0, 8), 1));
            }),
            of("inline Send with immediate data", "UnsupportedOperationException", s -> {
                s.connect();
                s.b.receive(9, 8);
                WrFlags flags = WrFlags.SIGNALLED.withInline();
                return answer(() -> {
                    s.a.qp.post(s.a.qp
                            .newWorkRequest()
                            .sendWithImmediate(7)
                            .gather(s.a.memory, 0, 8)
                            .flags(flags));
                    return s.b.takesBytes() + " " + s.b.cursor.immediate();
                });
            }),
            of(
                    "immediate data of 64 bits",
                    "done",
                    s -> attempt(() -> s.a.qp.newWorkRequest().sendWithImmediate(1L << 40))),
            of("Write with immediate data", "1 WRITE SUCCESS; peer 9 RECEIVE_WRITE_IMMEDIATE SUCCESS 8 7", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .writeWithImmediate(s.b.memory.address(), s.b.memory.rkey(), 7)
                                .gather(s.a.memory, 0, 8),
                        1);
                return s.a.takes(1) + "; peer " + s.b.takesBytes() + " " + s.b.cursor.immediate();
            }),
            of("solicited Send", "peer 9 RECEIVE SUCCESS true", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.qp.postSend(1, s.a.memory, 0, 8, WrFlags.SIGNALLED.withSolicited());
                return "peer " + s.b.takes(1) + " " + s.b.cursor.solicited();
            }),
            of("Send to an address handle of a connected service", "UnsupportedOperationException", s -> {
                s.connect();
                return attempt(() -> s.a.qp.post(s.a.qp
                        .newWorkRequest()
                        .send()
                        .gather(s.a.memory, 0, 8)
                        .to(
                                s.a.pd.createAddressHandle(
                                        AddressHandleAttributes.to(InetAddress.getLoopbackAddress())),
                                5,
                                5)));
            }));
}
