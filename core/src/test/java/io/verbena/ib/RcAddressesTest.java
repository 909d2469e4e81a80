package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.PacketBuilder.Outgoing;
import io.verbena.ib.packet.UdpEncapsulation;
import io.verbena.ib.settings.AddressPair;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.PathProbe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Paths between two addresses of each side: the second address of the peer is used after a value that cannot be
 * guessed has come back from
 * there.
 */
class RcAddressesTest {

    private static final int MTU = 1024;

    /** The first address of the peer, as both sides see it, and the second one. */
    private static final long FIRST = 0xffff_0a00_0002L;

    private static final long SECOND = 0xffff_0a00_0012L;
    private static final long VICTIM = 0xffff_0a00_0063L;

    private static final long VALUE_OF_A = 0x1234_5678_9abc_def0L;
    private static final long VALUE_OF_B = 0x0fed_cba9_8765_4321L;

    /** Bytes of the messages that set a connection up: REQ and RTU, without the headers of IP. */
    private static final int SET_UP_BYTES = 2 * 280;

    private static final int IP_AND_UDP_BYTES = 28;

    private final RcPair pair = new RcPair(
            settings(RcPair.A_QP, RcPair.B_QP, 100, 900, VALUE_OF_A),
            settings(RcPair.B_QP, RcPair.A_QP, 900, 100, VALUE_OF_B));
    private final PacketList list = new PacketList(256 * 1024);
    private final Outgoing outgoing = new Outgoing(list, new UdpEncapsulation(0, 0xffff_0a00_0001L, 4791));
    private final PacketBuilder builder = new PacketBuilder(List.of(outgoing, outgoing));

    /** A packet, and where it goes. */
    private record Sent(PacketPath path, byte[] bytes) {

        boolean toSecond() {
            return path.addressLow() == SECOND;
        }

        boolean question() {
            return text().startsWith("probe address=1 ");
        }

        /** One line; of a question its fields. */
        String text() {
            return (bytes[0] & 0xff) == IbOpcode.PATH_PROBE.value()
                    ? new PathProbe()
                            .wrap(MemorySegment.ofArray(bytes), IbOpcode.PATH_PROBE.headerBytes())
                            .describe(new StringBuilder())
                            .toString()
                    : RcPair.text(bytes);
        }
    }

    private static RcSettings settings(int localQp, int remoteQp, int sendPsn, int receivePsn, long value) {
        return RcPair.builder(localQp, remoteQp, sendPsn, receivePsn)
                .options(RcOption.SELECTIVE_REPEAT, RcOption.PATHS)
                .retries(7, RcSettings.UNLIMITED)
                .paths(4)
                .addressPairs(List.of(new AddressPair(1, 0, SECOND, value)))
                .reliableConnection();
    }

    private List<Sent> sent(RcPair.End end) {
        List<Sent> all = new ArrayList<>();
        while (end.engine.hasTransmitWork(pair.nowNs)) {
            list.reset(64, 65_507);
            end.engine.fillTransmit(builder, 64 * 1024, pair.nowNs);
            if (list.packets() == 0) {
                break;
            }
            for (int i = 0; i < list.packets(); i++) {
                ByteBuffer copy = ByteBuffer.allocate(list.length(i));
                list.copyOut(i, copy);
                all.add(new Sent(list.path(i), copy.array()));
            }
        }
        return all;
    }

    /** The packets arrive from the address that they left from. */
    private void deliver(List<Sent> packets, RcPair.End to) {
        for (Sent each : packets) {
            arrive(each.bytes, each.path.source() == 0 ? FIRST : SECOND, to);
        }
    }

    private void arrive(byte[] bytes, long from, RcPair.End to) {
        to.origin.source(0, from);
        to.receive(bytes, pair.nowNs);
    }

    /** Both sides exchange packets until none is left that a rule lets pass. */
    private void exchange(Predicate<Sent> passes) {
        for (boolean more = true; more; ) {
            List<Sent> fromA = sent(pair.a);
            deliver(fromA.stream().filter(passes).toList(), pair.b);
            List<Sent> fromB = sent(pair.b);
            deliver(fromB.stream().filter(passes).toList(), pair.a);
            more = !fromA.isEmpty() || !fromB.isEmpty();
        }
    }

    private static byte[] probe(boolean answer, int number, long value) {
        byte[] packet = Crafted.packet(IbOpcode.PATH_PROBE, 0, PathProbe.LENGTH, p -> {});
        new PathProbe()
                .wrap(MemorySegment.ofArray(packet), IbOpcode.PATH_PROBE.headerBytes())
                .setFurther(answer, number, value);
        return packet;
    }

    private void write(int packets) {
        Region from = pair.a.region(packets * MTU);
        pair.a.write(1, from, pair.b.region(packets * MTU), packets * MTU);
    }

    private List<Sent> withoutQuestions(RcPair.End end) {
        return sent(end).stream().filter(it -> !it.question()).toList();
    }

    @Test
    void secondAddress_isAskedFirst_andUsedAfterItsAnswer() {
        write(8);
        List<Sent> before = sent(pair.a);
        assertEquals(
                List.of("probe address=1 nonce=0x123456789abcdef0"),
                before.stream().filter(Sent::toSecond).map(Sent::text).toList());
        assertEquals(
                1,
                before.stream()
                        .filter(Sent::question)
                        .findFirst()
                        .orElseThrow()
                        .path
                        .source());
        deliver(before, pair.b);
        exchange(_ -> true);
        assertEquals(List.of("1 WRITE SUCCESS 8192"), pair.a.completions());
        write(8);
        List<Sent> after = sent(pair.a);
        assertEquals(4, after.stream().filter(Sent::toSecond).count(), "every other path");
        assertTrue(after.stream().allMatch(it -> it.path.source() == (it.toSecond() ? 1 : 0)));
        deliver(after, pair.b);
        exchange(_ -> true);
        assertEquals(List.of("1 WRITE SUCCESS 8192"), pair.a.completions());
    }

    @Test
    void answerWithAnotherValue_orFromAnotherAddress_provesNothing() {
        sent(pair.a);
        arrive(probe(true, 1, VALUE_OF_A + 1), SECOND, pair.a);
        arrive(probe(true, 1, VALUE_OF_B), SECOND, pair.a);
        arrive(probe(true, 1, VALUE_OF_A), FIRST, pair.a);
        arrive(probe(true, 1, VALUE_OF_A), VICTIM, pair.a);
        arrive(probe(true, 0, VALUE_OF_A), SECOND, pair.a);
        arrive(probe(true, 2, VALUE_OF_A), SECOND, pair.a);
        arrive(probe(true, 0xffff, VALUE_OF_A), SECOND, pair.a);
        write(8);
        assertTrue(withoutQuestions(pair.a).stream().noneMatch(Sent::toSecond));
        arrive(probe(true, 1, VALUE_OF_A), SECOND, pair.a);
        write(8);
        assertTrue(withoutQuestions(pair.a).stream().anyMatch(Sent::toSecond));
    }

    @Test
    void answerBeforeTheQuestion_provesNothing() {
        arrive(probe(true, 1, VALUE_OF_A), SECOND, pair.a);
        write(8);
        assertTrue(withoutQuestions(pair.a).stream().noneMatch(Sent::toSecond));
    }

    /** A host that the peer has named, and that knows nothing of the connection. */
    @Test
    void addressThatNeverAnswers_getsTenQuestions_andNothingElse() {
        long bytes = 0;
        int questions = 0;
        for (int i = 0; i < 200; i++) {
            write(4);
            List<Sent> fromA = sent(pair.a);
            for (Sent each : fromA) {
                assertTrue(!each.toSecond() || each.question(), each::text);
                questions += each.toSecond() ? 1 : 0;
                bytes += each.toSecond() ? each.bytes.length + IP_AND_UDP_BYTES : 0;
            }
            deliver(fromA.stream().filter(it -> !it.toSecond()).toList(), pair.b);
            deliver(sent(pair.b).stream().filter(it -> !it.toSecond()).toList(), pair.a);
            pair.nowNs += 1_000_000_000;
            pair.a.engine.onDeadline(pair.nowNs);
            pair.b.engine.onDeadline(pair.nowNs);
        }
        assertEquals(200, pair.a.completions().size());
        assertEquals(10, questions);
        assertTrue(bytes <= SET_UP_BYTES, bytes + " bytes: three addresses get more than three times the set-up");
    }

    @Test
    void questionsAreRepeated_afterPausesThatGrow() {
        List<Long> pauses = new ArrayList<>();
        sent(pair.a);
        while (pauses.size() < 9) {
            long before = pair.nowNs;
            pair.nowNs = pair.a.engine.nextDeadlineNs();
            pair.a.engine.onDeadline(pair.nowNs);
            assertEquals(1, sent(pair.a).stream().filter(Sent::question).count());
            pauses.add((pair.nowNs - before) / 1_000_000);
        }
        assertEquals(List.of(1L, 4L, 16L, 64L, 256L, 1024L, 4096L, 16384L, 65536L), pauses);
        assertEquals(Long.MAX_VALUE, pair.a.engine.nextDeadlineNs());
    }

    @Test
    void question_isAnsweredWhereItCameFrom_byAsMuch() {
        sent(pair.b);
        byte[] question = probe(false, 1, 77);
        arrive(question, SECOND, pair.b);
        List<Sent> answers = sent(pair.b);
        assertEquals(1, answers.size());
        assertTrue(answers.getFirst().toSecond());
        assertEquals(question.length, answers.getFirst().bytes.length);
        for (long other : new long[] {FIRST, VICTIM}) {
            arrive(question, other, pair.b);
            assertEquals(List.of(), sent(pair.b));
        }
        arrive(probe(false, 2, 77), SECOND, pair.b);
        arrive(probe(false, 0, 77), SECOND, pair.b);
        assertEquals(List.of(), sent(pair.b));
    }

    @Test
    void questionsByTheHundred_areNotAnsweredByMoreThanWait() {
        sent(pair.b);
        for (int i = 0; i < 100; i++) {
            arrive(probe(false, 1, i), SECOND, pair.b);
        }
        assertEquals(16, sent(pair.b).size());
    }

    /** Side A has proved the address of B, and B not yet that of A. */
    @Test
    void requestsFromAnAddressThatIsNotProven_areAcknowledgedAtTheFirstOne() {
        sent(pair.a);
        arrive(probe(true, 1, VALUE_OF_A), SECOND, pair.a);
        write(8);
        List<Sent> requests = withoutQuestions(pair.a);
        assertTrue(requests.stream().anyMatch(Sent::toSecond));
        deliver(requests, pair.b);
        List<Sent> answers = withoutQuestions(pair.b);
        assertTrue(!answers.isEmpty() && answers.stream().noneMatch(Sent::toSecond));
        deliver(answers, pair.a);
        exchange(it -> !it.question());
        assertEquals(List.of("1 WRITE SUCCESS 8192"), pair.a.completions());
    }

    /** The interface of the first address fails on both sides. */
    @Test
    void firstAddressDies_workContinuesAtTheSecondOne() {
        write(4);
        exchange(_ -> true);
        assertEquals(1, pair.a.completions().size());
        for (int i = 0; i < 20; i++) {
            write(16);
            for (int turn = 0; turn < 1_000 && pair.a.ring.size() == 0; turn++) {
                exchange(Sent::toSecond);
                if (pair.a.ring.size() == 0) {
                    pair.nextDeadline();
                }
            }
            assertEquals(List.of("1 WRITE SUCCESS " + 16 * MTU), pair.a.completions());
        }
        assertTrue(pair.a.engine.failure().isEmpty());
    }
}
