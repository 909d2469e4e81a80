package io.verbena.ib;

import io.verbena.fixture.DigestFields;
import io.verbena.ib.settings.AddressPair;
import io.verbena.ib.settings.RcOption;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The digest of a reliable connection covers everything that decides what happens next. */
class RcDigestTest {

    /** Packages whose objects hold the state of a connection. */
    private static final List<String> OWNERS = List.of(
            "io.verbena.ib",
            "io.verbena.ib.endpoint",
            "io.verbena.ib.packet",
            "io.verbena.ib.paths",
            "io.verbena.ib.request",
            "io.verbena.ib.respond");

    private static final int MOST_OTHERS = 1;

    /** A further address of the peer. */
    private static final List<AddressPair> PAIRS = List.of(new AddressPair(0, 0, 0xffff_0a00_0012L, 1));

    /** Fields that the digest does not cover, and the reason. */
    private static final Map<String, String> UNCOVERED = UncoveredFields.and(
            // What is true only while a call runs.
            Map.entry("EarlyPackets.takenLength", "the length of the packet that was removed last, read at once"),
            // What follows from other state.
            Map.entry("EarlyPackets.store", "bytes, which follow from the PSNs of the packets"),
            Map.entry("Requester.answered", "follows from the work queue, which the explorer covers"),
            Map.entry("Requester.disjoint", "follows from the work queue, which the explorer covers"),
            Map.entry("Requester.firstPsn", "follows from the work queue and the next PSN"),
            Map.entry("Requester.number", "follows from the work queue and the number of what was started"),
            Map.entry("Requester.packets", "follows from the work queue"),
            Map.entry("ReadResources.firstPart", "where the ring begins: its parts are covered in their order"),
            Map.entry("RcEngine.failure", "whether there is one is covered"),
            Map.entry("Responder.failure", "belongs to that of the engine"),
            Map.entry("Responses.failure", "belongs to that of the engine"),
            Map.entry("Retirement.failure", "belongs to that of the engine"),
            Map.entry("Requester.failedSentence", "a sentence for people"),
            // Several paths.
            Map.entry("Congestion.sorted", "holds delays while their median is computed"),
            Map.entry("Path.bytes", "a figure"),
            Map.entry("Path.losses", "a figure"),
            Map.entry("Path.marks", "a figure"),
            Map.entry("PathQuestions.firstOwed", "where the ring begins: its questions are covered in their order"),
            Map.entry("PathQuestions.probes", "made when the connection begins"),
            Map.entry("PathQuestions.proofs", "made when the connection begins"),
            Map.entry("Spray.congestion", "made when the connection begins"),
            Map.entry("Spray.markedPath", "the path that an answer names, until it is processed"),
            // What is set once, or by the owner.
            Map.entry("RcEngine.completer", "made when the connection begins"),
            Map.entry("RcEngine.requester", "made when the connection begins"),
            Map.entry("RcEngine.spray", "made when the connection begins"),
            Map.entry("RemoteReads.mayDoAtomics", "a right, which a change of the queue pair sets"),
            Map.entry("RemoteReads.mayRead", "a right, which a change of the queue pair sets"),
            Map.entry("RetryCounters.silentSinceNs", "covered with a patience"),
            // Figures.
            Map.entry("Requester.retransmissions", "a figure"),
            Map.entry("RetryCounters.timeouts", "a figure"));

    /**
     * What fields refer to outside of {@link #OWNERS}, by the beginning of the class name, and where its state is
     * covered.
     */
    private static final Map<String, String> OUTSIDE = Map.ofEntries(
            Map.entry("io.verbena.ib.settings.", "do not change"),
            Map.entry("io.verbena.wire.", "views of bytes that are wrapped before each use"),
            Map.entry("io.verbena.queue.", "changes by posts and completions, which the explorer covers"),
            Map.entry("io.verbena.work.", "works on queues and memory"),
            Map.entry("io.verbena.memory.", "memory and keys, which the explorer covers"),
            Map.entry("jdk.internal.foreign.", "bytes"),
            Map.entry(
                    "io.verbena.base.",
                    "paths of packets, which are set when the connection begins, and lists of a turn"));

    private final DigestFields fields = new DigestFields(OWNERS, MOST_OTHERS, UNCOVERED, OUTSIDE, Map.of());

    @Test
    void everyField_changed_changesTheDigest() throws IllegalAccessException {
        check(busy(RcPair.plain()));
        check(busy(with(RcOption.SELECTIVE_REPEAT, RcOption.CONGESTION_CONTROL)));
        check(lossy(with(RcOption.SELECTIVE_REPEAT)));
        check(lossy(with(RcOption.SELECTIVE_REPEAT, RcOption.PATHS, RcOption.CONGESTION_CONTROL)));
        fields.verify(100);
    }

    private static RcPair with(RcOption... options) {
        return new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900)
                        .options(options)
                        .paths(4)
                        .addressPairs(PAIRS)
                        .reliableConnection(),
                RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                        .options(options)
                        .paths(4)
                        .addressPairs(PAIRS)
                        .reliableConnection());
    }

    /** One packet of a Write was lost, and others have arrived. */
    private static RcPair lossy(RcPair pair) {
        Region here = pair.a.region(65_536);
        pair.a.write(1, here, pair.b.region(65_536), 8_192);
        pair.a.transmit(pair.nowNs);
        loseThird(pair.a);
        pair.deliver(pair.a, pair.b);
        return pair;
    }

    private static void loseThird(RcPair.End from) {
        List<byte[]> packets = new ArrayList<>(from.wire);
        packets.remove(2);
        from.wire.clear();
        from.wire.addAll(packets);
    }

    private void check(RcPair pair) throws IllegalAccessException {
        fields.check(pair.a.engine, pair.a.engine::stateDigest);
        fields.check(pair.b.engine, pair.b.engine::stateDigest);
    }

    /** Requests of each kind are under way; a packet was lost, and others have arrived after it. */
    private static RcPair busy(RcPair pair) {
        Region here = pair.a.region(65_536);
        Region there = pair.b.region(65_536);
        pair.b.postReceive(1, there, 4096);
        pair.a.send(1, here, 100);
        pair.run();
        pair.a.read(2, here, there, 5_000);
        pair.a.write(3, here, there, 5_000);
        pair.a.post(WorkOpcode.SEND, WrFlags.SIGNALLED, wqe -> wqe.wrId(4).addElement(here.localKey(), 0, 3_000));
        pair.a.transmit(pair.nowNs);
        pair.b.receive(pair.a.wire.removeFirst(), pair.nowNs);
        pair.b.transmit(pair.nowNs);
        pair.a.receive(pair.b.wire.removeFirst(), pair.nowNs);
        loseThird(pair.a);
        pair.deliver(pair.a, pair.b);
        return pair;
    }
}
