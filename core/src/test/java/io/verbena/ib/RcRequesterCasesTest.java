package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.memory.Region;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Syndrome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The numbered wire cases of the requester of reliable connections: crafted answers and their effects. */
class RcRequesterCasesTest {

    /** The first PSN that the requester sends. */
    private static final int E = 100;

    private static final int ACK = 31;
    private static final long MILLISECOND = 1_000_000;

    private RcPair pair = RcPair.plain();
    private RcPair.End a = pair.a;
    private Region memory = a.region(8);

    private void begin(RcSettings settings) {
        pair = new RcPair(settings, RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, E));
        a = pair.a;
        memory = a.region(128 * 1024);
    }

    private static RcSettings settings(int outboundReads, int retries, int notReadyRetries, long timeoutNs) {
        return builder(outboundReads, retries, notReadyRetries, timeoutNs).reliableConnection();
    }

    private static SettingsBuilder builder(int outboundReads, int retries, int notReadyRetries, long timeoutNs) {
        return RcPair.builder(RcPair.A_QP, RcPair.B_QP, E, 900)
                .reads(outboundReads, 4)
                .retries(retries, notReadyRetries)
                .ackTimeoutNs(timeoutNs);
    }

    private List<String> sent() {
        a.transmit(pair.nowNs);
        List<String> lines = new ArrayList<>();
        while (!a.wire.isEmpty()) {
            lines.add(RcPair.text(a.wire.removeFirst()).replace("RC_", ""));
        }
        return lines;
    }

    private void arrives(byte[] packet) {
        a.receive(packet, pair.nowNs);
    }

    private void ack(int psn) {
        arrives(Crafted.acknowledge(psn, ACK, 1));
    }

    private void nak(int psn, int syndrome) {
        arrives(Crafted.acknowledge(psn, syndrome, 1));
    }

    private void sends(int count) {
        for (int i = 0; i < count; i++) {
            a.send(i, memory, 4);
        }
    }

    private void read(long id, int length) {
        a.post(
                WorkOpcode.READ,
                WrFlags.SIGNALLED,
                w -> w.wrId(id).remoteAddress(0x1000).rkey(9).addElement(memory.localKey(), 0, length));
    }

    private static List<String> send(int... psns) {
        return IntStream.of(psns)
                .mapToObj(psn -> "SEND_ONLY psn=" + psn + " ack, 4 bytes")
                .toList();
    }

    private List<String> failed() {
        assertTrue(a.engine.failure().isPresent());
        assertTrue(a.engine.flush());
        return a.completions();
    }

    private void tick(long durationNs) {
        pair.nowNs += durationNs;
        a.engine.onDeadline(pair.nowNs);
    }

    @TestFactory
    Stream<DynamicTest> timersAndRetries() {
        return Stream.of(
                ibCase(41, "no answer: everything is sent again after the time-out, then the work fails", () -> {
                    sends(2);
                    for (int i = 0; i < 4; i++) {
                        assertEquals(send(E, E + 1), sent());
                        tick((RcPair.TIMEOUT_NS << i) - 1);
                        assertEquals(List.of(), sent());
                        tick(1);
                    }
                    assertEquals(List.of("0 SEND RETRY_EXCEEDED 4", "1 SEND FLUSHED 4"), failed());
                }),
                ibCase(41, "the time-out doubles up to sixteen times; then it is a quarter of the silence", () -> {
                    begin(settings(4, 7, 7, RcPair.TIMEOUT_NS));
                    sends(2);
                    assertEquals(2, sent().size());
                    for (int doubling : new int[] {0, 1, 2, 3, 4, 4}) {
                        tick((RcPair.TIMEOUT_NS << doubling) - 1);
                        assertEquals(List.of(), sent());
                        tick(1);
                        assertEquals(send(E, E + 1), sent());
                    }
                    ack(E);
                    tick(47 * RcPair.TIMEOUT_NS / 4 - 1);
                    assertEquals(List.of(), sent());
                    tick(1);
                    assertEquals(send(E + 1), sent());
                }),
                ibCase(41, "a silent peer gets eight packets again; its answer saves the others", () -> {
                    sends(20);
                    assertEquals(20, sent().size());
                    tick(RcPair.TIMEOUT_NS);
                    assertEquals(send(IntStream.range(E, E + 8).toArray()), sent());
                    assertEquals(List.of(), sent());
                    ack(E + 17);
                    assertEquals(18, a.completions().size());
                    assertEquals(send(E + 18, E + 19), sent());
                    ack(E + 19);
                    assertEquals(2, a.completions().size());
                    assertEquals(List.of(), sent());
                }),
                ibCase(42, "an RNR NAK starts its timer and has its own retry counter", () -> {
                    begin(settings(4, 0, 2, RcPair.TIMEOUT_NS));
                    sends(1);
                    for (int i = 0; i < 3; i++) {
                        assertEquals(send(E), sent());
                        nak(E, Syndrome.rnrNak(20));
                        tick(10 * MILLISECOND);
                        assertEquals(List.of(), sent());
                        tick(MILLISECOND);
                    }
                    assertEquals(List.of("0 SEND RECEIVER_NOT_READY 4"), failed());
                }),
                ibCase(43, "one acknowledgement completes all before it", () -> {
                    sends(3);
                    sent();
                    ack(E + 2);
                    assertEquals(3, a.completions().size());
                    assertEquals(Long.MAX_VALUE, a.engine.nextDeadlineNs());
                }),
                ibCase(44, "NAKs fail the work of their PSN", () -> {
                    int[] syndromes = {0x61, 0x62, 0x63};
                    String[] statuses = {"REMOTE_INVALID_REQUEST", "REMOTE_ACCESS", "REMOTE_OPERATION"};
                    for (int i = 0; i < 3; i++) {
                        begin(settings(4, 3, 3, RcPair.TIMEOUT_NS));
                        sends(3);
                        sent();
                        nak(E + 1, syndromes[i]);
                        assertEquals(
                                List.of("0 SEND SUCCESS 4", "1 SEND " + statuses[i] + " 4", "2 SEND FLUSHED 4"),
                                failed());
                    }
                }),
                ibCase(51, "a sequence NAK restarts at once, a repeated one is ignored", () -> {
                    sends(5);
                    sent();
                    nak(E + 2, Syndrome.NAK_PSN_SEQUENCE);
                    assertEquals(2, a.completions().size());
                    assertEquals(send(E + 2, E + 3, E + 4), sent());
                    nak(E + 2, Syndrome.NAK_PSN_SEQUENCE);
                    assertEquals(List.of(), sent());
                }),
                ibCase(52, "a sequence NAK while the RNR timer runs is ignored", () -> {
                    sends(2);
                    sent();
                    nak(E, Syndrome.rnrNak(20));
                    for (int i = 0; i < 10; i++) {
                        nak(E, Syndrome.NAK_PSN_SEQUENCE);
                    }
                    assertEquals(List.of(), sent());
                    tick(11 * MILLISECOND);
                    assertEquals(send(E, E + 1), sent());
                    assertTrue(a.engine.failure().isEmpty());
                }),
                ibCase(61, "time-out 0: the timer never retransmits", () -> {
                    begin(settings(4, 3, 3, 0));
                    sends(1);
                    sent();
                    assertEquals(Long.MAX_VALUE, a.engine.nextDeadlineNs());
                }));
    }

    @TestFactory
    Stream<DynamicTest> responses() {
        return Stream.of(
                ibCase(
                        45,
                        "a lost MIDDLE: the rest is requested again; its response begins with FIRST, "
                                + "or with MIDDLE from rxe",
                        () -> {
                            for (IbOpcode again :
                                    List.of(IbOpcode.RC_READ_RESPONSE_FIRST, IbOpcode.RC_READ_RESPONSE_MIDDLE)) {
                                begin(settings(4, 3, 3, RcPair.TIMEOUT_NS));
                                read(1, 3000);
                                sent();
                                arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_FIRST, E, 1024));
                                arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_LAST, E + 2, 952));
                                assertEquals(List.of("READ_REQUEST psn=101 ack length=1976"), sent());
                                arrives(Crafted.response(again, E + 1, 1024));
                                arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_LAST, E + 2, 952));
                                assertEquals(List.of("1 READ SUCCESS 3000"), a.completions());
                            }
                        }),
                ibCase(46, "a plain ACK for a Read: its response was lost", () -> {
                    read(1, 8);
                    sent();
                    ack(E);
                    assertEquals(List.of(), a.completions());
                    assertEquals(List.of("READ_REQUEST psn=100 ack length=8"), sent());
                }),
                ibCase(47, "an ACK of a PSN that was never sent is ignored", () -> {
                    sends(1);
                    sent();
                    ack(E + 1);
                    ack(E + 1000);
                    assertEquals(List.of(), a.completions());
                    assertEquals(List.of(), sent());
                }),
                ibCase(50, "an ACK of a later Send: Sends before the Read complete, the Read is repeated", () -> {
                    a.send(1, memory, 4);
                    read(2, 2000);
                    a.send(3, memory, 4);
                    sent();
                    ack(E + 3);
                    assertEquals(List.of("1 SEND SUCCESS 4"), a.completions());
                    assertEquals(
                            List.of("READ_REQUEST psn=101 ack length=2000", "SEND_ONLY psn=103 ack, 4 bytes"), sent());
                }),
                ibCase(53, "an old ACK is ignored", () -> {
                    sends(2);
                    sent();
                    ack(E);
                    ack(E);
                    ack(E - 1);
                    assertEquals(1, a.completions().size());
                    assertEquals(List.of(), sent());
                }),
                ibCase(54, "reserved syndromes are ignored", () -> {
                    sends(1);
                    sent();
                    for (int syndrome = 0x40; syndrome < 0x100; syndrome++) {
                        if (syndrome < 0x60 || syndrome > 0x63) {
                            nak(E, syndrome);
                        }
                    }
                    assertEquals(List.of(), a.completions());
                    assertTrue(a.engine.failure().isEmpty());
                }),
                ibCase(55, "a response of a wrong length fails the work; one that was not requested is ignored", () -> {
                    sends(1);
                    sent();
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, E, 8));
                    assertTrue(a.engine.failure().isEmpty());
                    ack(E);
                    read(2, 8);
                    sent();
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, E + 1, 12));
                    assertEquals(List.of("0 SEND SUCCESS 4", "2 READ BAD_RESPONSE 8"), failed());
                }),
                ibCase(56, "the buffer of a Read was deregistered", () -> {
                    read(1, 8);
                    sent();
                    a.regions.deregister(memory);
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, E, 8));
                    assertEquals(List.of("1 READ LOCAL_PROTECTION 8"), failed());
                }),
                ibCase(59, "the response to an atomic was lost: the same request is sent again", () -> {
                    a.post(
                            WorkOpcode.FETCH_AND_ADD,
                            WrFlags.SIGNALLED,
                            w -> w.wrId(1).operand1(3).addElement(memory.localKey(), 0, 8));
                    List<String> first = sent();
                    tick(RcPair.TIMEOUT_NS);
                    assertEquals(first, sent());
                    arrives(Crafted.packet(IbOpcode.RC_ATOMIC_ACKNOWLEDGE, E, 0, p -> {
                        p.aeth().set(ACK, 1);
                        p.atomicAckEth().originalData(77);
                    }));
                    assertEquals(List.of("1 FETCH_AND_ADD SUCCESS 8"), a.completions());
                    assertEquals(77, memory.segment().get(JAVA_LONG, 0));
                }));
    }

    @TestFactory
    Stream<DynamicTest> whatMayGo() {
        return Stream.of(
                ibCase(48, "no credits: one packet is sent, which requests an acknowledgement", () -> {
                    begin(builder(4, 3, 3, RcPair.TIMEOUT_NS)
                            .options(RcOption.HEEDS_CREDITS)
                            .reliableConnection());
                    sends(3);
                    assertEquals(send(E), sent(), "credits are not known yet");
                    arrives(Crafted.acknowledge(E, 0, 1));
                    assertEquals(1, a.completions().size());
                    assertEquals(send(E + 1), sent());
                    assertEquals(List.of(), sent(), "one at a time");
                    arrives(Crafted.acknowledge(E + 1, 2, 2));
                    a.send(4, memory, 4);
                    assertEquals(send(E + 2, E + 3), sent(), "two credits");
                    a.send(5, memory, 4);
                    assertEquals(List.of(), sent());
                    arrives(Crafted.acknowledge(E + 1, 3, 2));
                    assertEquals(send(E + 4), sent(), "a repeated acknowledgement reports a third credit");
                }),
                ibCase(49, "a long message requests acknowledgements before its end", () -> {
                    a.post(
                            WorkOpcode.WRITE,
                            WrFlags.SIGNALLED,
                            w -> w.wrId(1).addElement(memory.localKey(), 0, 100 * 1024));
                    List<String> lines = sent();
                    assertEquals(100, lines.size());
                    assertTrue(lines.get(99).contains(" ack"));
                    assertEquals(
                            4,
                            lines.stream().filter(line -> line.contains(" ack")).count());
                }),
                ibCase(57, "max_rd_atomic 1: one Read at a time", () -> {
                    begin(settings(1, 3, 3, RcPair.TIMEOUT_NS));
                    read(1, 8);
                    read(2, 8);
                    assertEquals(List.of("READ_REQUEST psn=100 ack length=8"), sent());
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, E, 8));
                    assertEquals(List.of("READ_REQUEST psn=101 ack length=8"), sent());
                }),
                ibCase(58, "a fenced Send waits for the Read, a plain one does not", () -> {
                    read(1, 2000);
                    a.send(2, memory, 4);
                    a.post(
                            WorkOpcode.SEND,
                            WrFlags.SIGNALLED.withFence(),
                            w -> w.wrId(3).addElement(memory.localKey(), 0, 4));
                    assertEquals(
                            List.of("READ_REQUEST psn=100 ack length=2000", "SEND_ONLY psn=102 ack, 4 bytes"), sent());
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_FIRST, E, 1024));
                    assertEquals(List.of(), sent());
                    arrives(Crafted.response(IbOpcode.RC_READ_RESPONSE_LAST, E + 1, 976));
                    assertEquals(send(E + 3), sent());
                }),
                ibCase(60, "SQD completes started work, then reports it", () -> {
                    begin(builder(4, 3, 3, RcPair.TIMEOUT_NS).windowPackets(4).reliableConnection());
                    a.send(1, memory, 10 * 1024);
                    a.send(2, memory, 4);
                    assertEquals(4, sent().size());
                    a.engine.drain(true);
                    ack(E + 3);
                    assertEquals(4, sent().size());
                    ack(E + 7);
                    assertEquals(2, sent().size());
                    assertEquals(Optional.empty(), a.engine.pollEvent());
                    ack(E + 9);
                    assertEquals(List.of("1 SEND SUCCESS 10240"), a.completions());
                    assertEquals(Optional.of(AsyncEventType.SEND_QUEUE_DRAINED), a.engine.pollEvent());
                    assertEquals(List.of(), sent());
                    a.engine.drain(false);
                    assertEquals(send(E + 10), sent());
                }),
                ibCase(62, "in ERR everything is flushed", () -> {
                    sends(1);
                    a.engine.abort("over");
                    sends(1);
                    assertFalse(a.engine.hasTransmitWork(pair.nowNs));
                    assertEquals(List.of("0 SEND FLUSHED 4", "0 SEND FLUSHED 4"), failed());
                }));
    }

    private DynamicTest ibCase(int number, String name, Runnable script) {
        return DynamicTest.dynamicTest(number + ": " + name, () -> {
            begin(settings(4, 3, 3, RcPair.TIMEOUT_NS));
            script.run();
        });
    }
}
