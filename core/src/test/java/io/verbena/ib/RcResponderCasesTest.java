package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.memory.RegistrationRules;
import io.verbena.memory.RemoteKey;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The numbered wire cases of the responder of reliable connections: crafted packets and the answers. */
class RcResponderCasesTest {

    /** First PSN that the responder expects. */
    private static final int P = 100;

    private static final String NAK_INVALID = " NAK invalid request msn=0";
    private static final String NAK_ACCESS = " NAK remote access msn=0";

    private RcPair pair = RcPair.plain();
    private RcPair.End b = pair.b;
    private Region memory = b.region(8);

    private void begin(int firstPsn, int inboundReads) {
        RcSettings settings = RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, firstPsn)
                .reads(4, inboundReads)
                .reliableConnection();
        pair = new RcPair(RcPair.settings(RcPair.A_QP, RcPair.B_QP, firstPsn, 900), settings);
        b = pair.b;
        memory = b.region(8192);
    }

    private void receives(int count) {
        for (int i = 0; i < count; i++) {
            b.postReceive(i, memory, 4096);
        }
    }

    /** The answers to a packet. */
    private List<String> answer(byte[] packet) {
        b.receive(packet, pair.nowNs);
        b.transmit(pair.nowNs);
        List<String> lines = new ArrayList<>();
        while (!b.wire.isEmpty()) {
            lines.add(RcPair.text(b.wire.removeFirst()).replace("RC_", ""));
        }
        return lines;
    }

    private static List<String> ack(int psn, int msn) {
        return List.of("ACKNOWLEDGE psn=" + psn + " ACK msn=" + msn);
    }

    private void refusedFor(String reason, byte[] packet) {
        assertEquals(List.of("ACKNOWLEDGE psn=" + P + reason), answer(packet));
        assertTrue(b.engine.failure().isPresent(), "the queue pair is in error");
        assertEquals(List.of(), answer(Crafted.request(IbOpcode.RC_SEND_ONLY, P, 4)), "and no longer answers");
    }

    private byte[] read(int psn, int skip, int length) {
        return Crafted.withReth(IbOpcode.RC_READ_REQUEST, psn, 0, memory.baseAddress() + skip, memory.rkey(), length);
    }

    private byte[] write(IbOpcode opcode, int psn, int bytes, int length) {
        return Crafted.withReth(opcode, psn, bytes, memory.baseAddress(), memory.rkey(), length);
    }

    private static byte[] send(int psn) {
        return Crafted.request(IbOpcode.RC_SEND_ONLY, psn, 4);
    }

    @TestFactory
    Stream<DynamicTest> receiverNotReadyAndDuplicates() {
        return Stream.of(
                ibCase(1, "no receive: RNR NAK", () -> {
                    assertEquals(List.of("ACKNOWLEDGE psn=100 RNR NAK 0.64 ms msn=0"), answer(send(P)));
                    assertEquals(List.of(), b.completions());
                }),
                ibCase(2, "three Sends, no receive: one RNR NAK", () -> {
                    assertEquals(1, answer(send(P)).size());
                    assertEquals(List.of(), answer(send(P + 1)));
                    assertEquals(List.of(), answer(send(P + 2)));
                }),
                ibCase(3, "after the RNR NAK only P is executed", () -> {
                    answer(send(P));
                    receives(2);
                    assertEquals(List.of(), answer(send(P + 1)));
                    assertEquals(ack(P, 1), answer(send(P)));
                    assertEquals(ack(P + 1, 2), answer(send(P + 1)));
                }),
                ibCase(4, "a duplicate is acknowledged with the last PSN", () -> {
                    receives(3);
                    answer(send(P));
                    answer(send(P + 1));
                    assertEquals(ack(P + 1, 2), answer(send(P)));
                    assertEquals(2, b.completions().size());
                }),
                ibCase(5, "a duplicate without AckReq is acknowledged as well", () -> {
                    receives(1);
                    answer(send(P));
                    assertEquals(ack(P, 1), answer(Crafted.packet(IbOpcode.RC_SEND_ONLY, P, 4, p -> {})));
                }),
                ibCase(14, "PSNs wrap", () -> {
                    begin(0xff_fffe, 4);
                    receives(1);
                    answer(Crafted.packet(IbOpcode.RC_SEND_FIRST, 0xff_fffe, 1024, p -> {}));
                    answer(Crafted.packet(IbOpcode.RC_SEND_MIDDLE, 0xff_ffff, 1024, p -> {}));
                    assertEquals(ack(0, 1), answer(Crafted.request(IbOpcode.RC_SEND_LAST, 0, 100)));
                    assertEquals(List.of("0 RECEIVE SUCCESS 2148"), b.completions());
                }),
                ibCase(15, "half of the PSNs are ahead, half are behind", () -> {
                    receives(1);
                    String nak = "ACKNOWLEDGE psn=100 NAK PSN sequence msn=0";
                    assertEquals(List.of(nak), answer(send(P + (1 << 23) - 1)));
                    assertEquals(ack(P - 1, 0), answer(send(Psn.plus(P, 1 << 23))));
                }),
                ibCase(32, "one NAK until P has arrived, then another one for the next gap", () -> {
                    receives(4);
                    assertEquals(1, answer(send(P + 1)).size());
                    assertEquals(List.of(), answer(send(P + 2)));
                    assertEquals(ack(P, 1), answer(send(P)));
                    assertEquals(List.of("ACKNOWLEDGE psn=101 NAK PSN sequence msn=1"), answer(send(P + 2)));
                }),
                ibCase(33, "without AckReq no acknowledgement, except for a duplicate", () -> {
                    receives(1);
                    assertEquals(List.of(), answer(Crafted.packet(IbOpcode.RC_SEND_ONLY, P, 4, p -> {})));
                    assertEquals(ack(P, 1), answer(send(P)));
                }));
    }

    @TestFactory
    Stream<DynamicTest> readsAndAtomics() {
        return Stream.of(
                ibCase(6, "a Read of 3000 bytes takes three PSNs", () -> {
                    assertEquals(
                            List.of(
                                    "READ_RESPONSE_FIRST psn=100 ACK msn=1, 1024 bytes",
                                    "READ_RESPONSE_MIDDLE psn=101, 1024 bytes",
                                    "READ_RESPONSE_LAST psn=102 ACK msn=1, 952 bytes"),
                            answer(read(P, 0, 3000)));
                    receives(1);
                    assertEquals(ack(P + 3, 2), answer(send(P + 3)));
                }),
                ibCase(7, "a partial re-read begins with FIRST, and the original is not forgotten", () -> {
                    List<String> whole = answer(read(P, 0, 3000));
                    assertEquals(
                            List.of(
                                    "READ_RESPONSE_FIRST psn=101 ACK msn=1, 1024 bytes",
                                    "READ_RESPONSE_LAST psn=102 ACK msn=1, 952 bytes"),
                            answer(read(P + 1, 1024, 1976)));
                    assertEquals(whole, answer(read(P, 0, 3000)));
                }),
                ibCase(8, "a re-read of other memory is dropped", () -> {
                    answer(read(P, 0, 3000));
                    assertEquals(List.of(), answer(read(P, 0, 3001)));
                    assertEquals(List.of(), answer(read(P, 4, 3000)));
                    assertEquals(List.of(), answer(read(P + 1, 0, 3000)));
                    Region other = b.region(8192);
                    assertEquals(
                            List.of(),
                            answer(Crafted.withReth(
                                    IbOpcode.RC_READ_REQUEST, P, 0, other.baseAddress(), other.rkey(), 3000)));
                    // The key alone differs: it may have been revoked meanwhile.
                    assertEquals(
                            List.of(),
                            answer(Crafted.withReth(
                                    IbOpcode.RC_READ_REQUEST, P, 0, memory.baseAddress(), other.rkey(), 3000)));
                    assertTrue(b.engine.failure().isEmpty());
                }),
                ibCase(9, "a re-read inside a Write does not affect the Write", () -> {
                    answer(read(P, 0, 8));
                    assertEquals(List.of(), answer(write(IbOpcode.RC_WRITE_FIRST, P + 1, 1024, 2048 + 8)));
                    assertEquals(List.of("READ_RESPONSE_ONLY psn=100 ACK msn=1, 8 bytes"), answer(read(P, 0, 8)));
                    answer(Crafted.packet(IbOpcode.RC_WRITE_MIDDLE, P + 2, 1024, p -> {}));
                    assertEquals(ack(P + 3, 2), answer(Crafted.request(IbOpcode.RC_WRITE_LAST, P + 3, 8)));
                }),
                ibCase(10, "an atomic is executed once", () -> {
                    memory.segment().set(JAVA_LONG, 0, 40);
                    byte[] add = Crafted.fetchAdd(P, memory.baseAddress(), memory.rkey(), 1);
                    List<String> first = answer(add);
                    assertEquals(1, first.size());
                    assertEquals(first, answer(add));
                    assertEquals(41, memory.segment().get(JAVA_LONG, 0));
                    answer(Crafted.fetchAdd(P + 1, memory.baseAddress(), memory.rkey(), 1));
                    assertEquals(42, memory.segment().get(JAVA_LONG, 0));
                }),
                ibCase(11, "an atomic that was replaced in the ring is dropped", () -> {
                    begin(P, 1);
                    for (int i = 0; i < 3; i++) {
                        assertEquals(
                                1,
                                answer(Crafted.fetchAdd(P + i, memory.baseAddress(), memory.rkey(), 1))
                                        .size());
                    }
                    assertEquals(List.of(), answer(Crafted.fetchAdd(P, memory.baseAddress(), memory.rkey(), 1)));
                    assertEquals(3, memory.segment().get(JAVA_LONG, 0));
                }),
                ibCase(
                        12,
                        "an atomic on an address that is not a multiple of 8 is refused",
                        () -> refusedFor(NAK_INVALID, Crafted.fetchAdd(P, memory.baseAddress() + 4, memory.rkey(), 1))),
                ibCase(13, "Reads without a negotiated depth are refused", () -> {
                    begin(P, 0);
                    refusedFor(NAK_INVALID, read(P, 0, 8));
                }),
                ibCase(30, "a Read of 0 bytes needs no key", () -> {
                    assertEquals(
                            List.of("READ_RESPONSE_ONLY psn=100 ACK msn=1, 0 bytes"),
                            answer(Crafted.withReth(IbOpcode.RC_READ_REQUEST, P, 0, 77, 12345, 0)));
                }),
                ibCase(
                        31,
                        "a Read of more than 2^31 bytes is refused",
                        () -> refusedFor(NAK_INVALID, read(P, 0, 0x8000_0001))));
    }

    @TestFactory
    Stream<DynamicTest> messagesThatAreWrong() {
        return Stream.of(
                ibCase(16, "a Send inside a Write is refused", () -> {
                    receives(1);
                    answer(write(IbOpcode.RC_WRITE_FIRST, P, 1024, 2048));
                    assertEquals(List.of("ACKNOWLEDGE psn=101" + NAK_INVALID), answer(send(P + 1)));
                }),
                ibCase(17, "a Write shorter than its header is refused", () -> {
                    answer(write(IbOpcode.RC_WRITE_FIRST, P, 1024, 2048));
                    assertEquals(
                            List.of("ACKNOWLEDGE psn=101" + NAK_INVALID),
                            answer(Crafted.request(IbOpcode.RC_WRITE_LAST, P + 1, 1000)));
                }),
                ibCase(18, "a Write beyond the region is refused", () -> {
                    long end = memory.baseAddress() + 8192;
                    refusedFor(
                            NAK_ACCESS, Crafted.withReth(IbOpcode.RC_WRITE_ONLY, P, 64, end - 32, memory.rkey(), 64));
                    assertEquals(0, memory.segment().get(JAVA_LONG, 8192 - 32));
                }),
                ibCase(
                        19,
                        "an address range that wraps is refused",
                        () -> refusedFor(
                                NAK_ACCESS, Crafted.withReth(IbOpcode.RC_WRITE_ONLY, P, 64, -32, memory.rkey(), 64))),
                ibCase(
                        26,
                        "ONLY of more than the MTU is refused",
                        () -> refusedFor(NAK_INVALID, Crafted.request(IbOpcode.RC_SEND_ONLY, P, 1025))),
                ibCase(27, "FIRST of less than the MTU is refused", () -> {
                    receives(1);
                    refusedFor(NAK_INVALID, Crafted.request(IbOpcode.RC_SEND_FIRST, P, 1020));
                }),
                ibCase(28, "LAST of 0 bytes is refused", () -> {
                    receives(1);
                    answer(Crafted.packet(IbOpcode.RC_SEND_FIRST, P, 1024, p -> {}));
                    assertEquals(
                            List.of("ACKNOWLEDGE psn=101" + NAK_INVALID),
                            answer(Crafted.request(IbOpcode.RC_SEND_LAST, P + 1, 0)));
                }),
                ibCase(29, "FIRST with padding is refused", () -> {
                    receives(1);
                    refusedFor(NAK_INVALID, Crafted.request(IbOpcode.RC_SEND_FIRST, P, 1023));
                }),
                ibCase(34, "longer than the receive: both ends are in error, the receive reports the reason", () -> {
                    b.postReceive(7, memory, 3);
                    b.postReceive(8, memory, 3);
                    refusedFor(NAK_INVALID, send(P));
                    assertTrue(b.engine.flush());
                    assertEquals(List.of("7 RECEIVE LOCAL_LENGTH 0", "8 RECEIVE FLUSHED 0"), b.completions());
                }),
                ibCase(40, "a key that is revoked inside a Write stops the Write", () -> {
                    answer(write(IbOpcode.RC_WRITE_FIRST, P, 1024, 2048));
                    b.regions.deregister(memory);
                    assertEquals(
                            List.of("ACKNOWLEDGE psn=101" + NAK_ACCESS),
                            answer(Crafted.request(IbOpcode.RC_WRITE_LAST, P + 1, 1024)));
                }));
    }

    @TestFactory
    Stream<DynamicTest> immediateInvalidateAndNothing() {
        return Stream.of(
                ibCase(20, "Write with immediate", () -> {
                    receives(1);
                    byte[] packet = write(IbOpcode.RC_WRITE_ONLY_IMM, P, 64, 64);
                    packet[1] |= (byte) 0x80;
                    packet[IbOpcode.RC_WRITE_ONLY_IMM.immOffset()] = 0x12;
                    assertEquals(ack(P, 1), answer(packet));
                    assertEquals(
                            List.of("0 RECEIVE_WRITE_IMMEDIATE SUCCESS 64 imm=" + 0x12000000 + " solicited"),
                            b.completions());
                }),
                ibCase(21, "Write with immediate without a receive places nothing", () -> {
                    byte[] packet = write(IbOpcode.RC_WRITE_ONLY_IMM, P, 64, 64);
                    assertEquals(List.of("ACKNOWLEDGE psn=100 RNR NAK 0.64 ms msn=0"), answer(packet));
                    assertEquals(0, memory.segment().get(JAVA_LONG, 0));
                }),
                ibCase(22, "Send with Invalidate of an invalid key: no NAK, the queue pair is in error", () -> {
                    receives(1);
                    assertEquals(List.of(), answer(Crafted.packet(IbOpcode.RC_SEND_ONLY_INVALIDATE, P, 4, p -> {
                        p.bth().a(true);
                        p.ieth().rKey(memory.rkey() + 1);
                    })));
                    assertTrue(b.engine.failure().isPresent());
                }),
                ibCase(23, "Send with Invalidate of a bound window", () -> {
                    receives(1);
                    int key = window();
                    byte[] access = Crafted.withReth(IbOpcode.RC_WRITE_ONLY, P, 8, memory.baseAddress(), key, 8);
                    assertEquals(ack(P, 1), answer(access));
                    assertEquals(ack(P + 1, 2), answer(Crafted.packet(IbOpcode.RC_SEND_ONLY_INVALIDATE, P + 1, 4, p -> {
                        p.bth().a(true);
                        p.ieth().rKey(key);
                    })));
                    assertEquals(List.of("0 RECEIVE SUCCESS 4 invalidated"), b.completions());
                    assertEquals(
                            List.of("ACKNOWLEDGE psn=102 NAK remote access msn=2"),
                            answer(Crafted.withReth(IbOpcode.RC_WRITE_ONLY, P + 2, 8, memory.baseAddress(), key, 8)));
                }),
                ibCase(25, "a Send of 0 bytes", () -> {
                    receives(1);
                    assertEquals(ack(P, 1), answer(Crafted.request(IbOpcode.RC_SEND_ONLY, P, 0)));
                    assertEquals(List.of("0 RECEIVE SUCCESS 0"), b.completions());
                }),
                ibCase(35, "a packet from another source address is dropped", () -> {
                    receives(1);
                    b.origin.source(0, 0xffff_0a00_0063L);
                    assertEquals(List.of(), answer(send(P)));
                    assertEquals(List.of(), b.completions());
                }),
                ibCase(36, "in RTR a request is executed and reports once that the connection is established", () -> {
                    RcSettings settings = RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, P);
                    b = new RcPair.End(settings, false);
                    memory = b.region(8192);
                    receives(2);
                    assertEquals(ack(P, 1), answer(send(P)));
                    assertEquals(Optional.of(AsyncEventType.COMMUNICATION_ESTABLISHED), b.engine.pollEvent());
                    answer(send(P + 1));
                    assertEquals(Optional.empty(), b.engine.pollEvent());
                    b.send(1, memory, 4);
                    assertEquals(List.of(), answer(Crafted.acknowledge(900, 31, 1)), "nothing is sent before RTS");
                    b.engine.readyToSend(settings);
                    b.transmit(pair.nowNs);
                    assertEquals(1, b.wire.size());
                }));
    }

    private int window() {
        RemoteKey key = b.regions.keys().allocate(1, true, false, true, false);
        int rights = RegistrationRules.bits(Set.of(AccessRight.REMOTE_WRITE));
        b.regions.keys().beginBind(key, memory.localKey(), 1, 0, 64, rights);
        b.regions.keys().bind(key, memory.localKey(), RcPair.B_QP, 0, 64, rights);
        return b.regions.keys().valueOf(key);
    }

    private DynamicTest ibCase(int number, String name, Runnable script) {
        return DynamicTest.dynamicTest(number + ": " + name, () -> {
            begin(P, 4);
            script.run();
        });
    }
}
