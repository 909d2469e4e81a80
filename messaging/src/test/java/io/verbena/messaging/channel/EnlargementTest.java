package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Payloads;
import io.verbena.messaging.Ranks;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.messaging.policy.SizeRule;
import io.verbena.messaging.protocol.ReceiverState;
import io.verbena.messaging.protocol.SenderState;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Buffer enlargement step by step, over real sockets. */
class EnlargementTest {

    private static final int SMALL = 700;
    private static final int LARGE = 16 << 10;

    private static TransferVector vector(int... lengths) {
        TransferVector vector = new TransferVector();
        for (int i = 0; i < lengths.length; i++) {
            vector.add(Payloads.segment(lengths[i], i), 0, lengths[i]);
        }
        return vector;
    }

    private static void transferAll(Pair pair, Channel channel, TransferVector vector) {
        pair.until(() -> {
            channel.transfer(0, vector);
            return vector.done();
        });
    }

    private static void expect(Pair pair, int... lengths) {
        pair.until(() -> pair.rightInbox.arrived.size() >= lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            pair.rightInbox.expect(Payloads.bytes(lengths[i], i));
        }
    }

    @Test
    void connected_messagesThatFit_useTheSmallBuffersOfBothSides() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            assertEquals(SMALL, link.near().figures().buffers().sendPayloadBytes());
            assertEquals(SMALL, link.far().figures().buffers().receivePayloadBytes());
            for (int i = 0; i < 50; i++) {
                transferAll(pair, link.near(), vector(SMALL - i));
                expect(pair, SMALL - i);
            }
            assertEquals(0, link.near().figures().changes().enlargements());
            assertEquals(SMALL, link.near().figures().buffers().sendPayloadBytes());
        }
    }

    @Test
    void vectorWithALargeElementBehindSmallOnes_prefixGoesTheNextCallStartsTheEnlargement() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            TransferVector vector = vector(10, SMALL, 5000, 20);
            assertEquals(2, link.near().transfer(0, vector)); // not the first element, so only the prefix
            assertEquals(SenderState.SETTLED, state(link.near()));
            assertEquals(0, link.near().transfer(0, vector)); // now it is the first
            assertEquals(SenderState.REQUESTED, state(link.near()));
            assertEquals(2, vector.position());
            transferAll(pair, link.near(), vector);
            expect(pair, 10, SMALL, 5000, 20);
            assertEquals(LARGE, link.near().figures().buffers().sendPayloadBytes());
        }
    }

    private static SenderState state(Channel channel) {
        return channel.flow(0).send().side().state();
    }

    @Test
    void wholeVector_waitsForTheLargeBuffers() throws IOException {
        EnlargementPolicy whole = EnlargementPolicy.defaults().withWholeVector(true);
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(whole))) {
            Pair.Link link = pair.connect();
            TransferVector vector = vector(10, 5000, 20);
            assertEquals(0, link.near().transfer(0, vector));
            assertEquals(SenderState.REQUESTED, state(link.near()));
            transferAll(pair, link.near(), vector);
            expect(pair, 10, 5000, 20);
        }
    }

    @Test
    void byTheLargestAndByTheSum_decideForAll() throws IOException {
        for (SizeRule rule : new SizeRule[] {SizeRule.BY_LARGEST, SizeRule.BY_SUM}) {
            EnlargementPolicy policy = EnlargementPolicy.defaults().withRule(rule);
            try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(policy))) {
                Pair.Link link = pair.connect();
                int[] fits = {300, 300};
                transferAll(pair, link.near(), vector(fits));
                expect(pair, fits);
                assertEquals(0, link.near().figures().changes().enlargements(), rule.name());
                int[] each = {400, 400};
                TransferVector vector = vector(each);
                assertEquals(rule == SizeRule.BY_SUM ? 0 : 2, link.near().transfer(0, vector), rule.name());
                transferAll(pair, link.near(), vector);
                expect(pair, each);
                assertEquals(
                        rule == SizeRule.BY_SUM ? 1 : 0,
                        link.near().figures().changes().enlargements(),
                        rule.name());
            }
        }
    }

    @Test
    void thresholdBelowTheBuffer_elementBetweenThem_enlarges() throws IOException {
        EnlargementPolicy tolerant = EnlargementPolicy.of(Phase.withTolerance(1000, 80), Phase.of(LARGE));
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(tolerant))) {
            Pair.Link link = pair.connect();
            transferAll(pair, link.near(), vector(800));
            assertEquals(0, link.near().figures().changes().enlargements());
            transferAll(pair, link.near(), vector(801));
            assertEquals(1, link.near().figures().changes().enlargements());
        }
    }

    @Test
    void thresholdAboveTheBuffer_isRefusedWithAMessage() {
        String sentence = String.valueOf(assertThrows(IllegalArgumentException.class, () -> new Phase(700, 701))
                .getMessage());
        assertTrue(sentence.contains("700") && sentence.contains("701"), sentence);
    }

    @Test
    void elementTooLarge_controlMessageAcknowledgementAndTransferFollow() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            TransferVector vector = vector(5000);
            // The control message is sent instead of data, and the state records that.
            assertEquals(0, link.near().transfer(0, vector));
            assertEquals(SenderState.REQUESTED, state(link.near()));
            // The receiver provisions its ring and acknowledges.
            pair.until(() -> {
                pair.right.progress();
                return link.far().figures().buffers().receivePayloadBytes() == LARGE;
            });
            assertEquals(
                    ReceiverState.RECEIVING, link.far().flow(0).receive().side().state());
            // The sender sees both flags and provisions its staging buffer.
            pair.until(() -> link.near().figures().buffers().sendPayloadBytes() == LARGE);
            // The element is sent.
            assertEquals(1, link.near().transfer(0, vector));
            expect(pair, 5000);
        }
    }

    @Test
    void provisionedBeforeTheControlMessage_largeStagingIsThereAtOnce() throws IOException {
        EnlargementPolicy first = EnlargementPolicy.defaults().withProvisionFirst(true);
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(first))) {
            Pair.Link link = pair.connect();
            long before = link.near().figures().buffers().registeredBytes();
            TransferVector vector = vector(5000);
            assertEquals(0, link.near().transfer(0, vector));
            assertTrue(link.near().figures().buffers().registeredBytes() >= before + 4 * LARGE);
            transferAll(pair, link.near(), vector);
            expect(pair, 5000);
        }
    }

    @Test
    void receiverHasNotSeenTheControlMessage_elementsBeforeIt_areReceivedWithTheSmallBuffers() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            pair.rightInbox.accepts = false; // the ring is full of what its user does not take yet
            assertEquals(2, link.near().transfer(0, vector(1, 2)));
            assertEquals(0, link.near().transfer(0, vector(5000)));
            pair.rounds(50);
            assertEquals(SMALL, link.far().figures().buffers().receivePayloadBytes());
            pair.rightInbox.accepts = true;
            pair.until(() -> link.far().figures().buffers().receivePayloadBytes() == LARGE);
            expect(pair, 1, 2);
        }
    }

    @Test
    void virtualChannels_eachHasItsOwnState() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults().withVirtualChannels(3))) {
            Pair.Link link = pair.connect();
            TransferVector vector = vector(5000);
            pair.until(() -> {
                link.near().transfer(1, vector);
                return vector.done();
            });
            expect(pair, 5000);
            assertEquals(SMALL, link.near().flow(0).send().side().payloadBytes());
            assertEquals(LARGE, link.near().flow(1).send().side().payloadBytes());
            assertEquals(SMALL, link.near().flow(2).send().side().payloadBytes());
        }
    }

    @Test
    void bothSidesEnlargeAtOnce_bothDirectionsAreIndependent() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            TransferVector there = vector(5000);
            TransferVector back = vector(9000);
            assertEquals(0, link.near().transfer(0, there));
            assertEquals(0, link.far().transfer(0, back));
            pair.until(() -> {
                link.near().transfer(0, there);
                link.far().transfer(0, back);
                return there.done() && back.done();
            });
            expect(pair, 5000);
            pair.until(() -> !pair.leftInbox.arrived.isEmpty());
            pair.leftInbox.expect(Payloads.bytes(9000, 0));
        }
    }

    @Test
    void connections_smallOnesTakeLessThan16KiBAndEnlargedOnes256KiB() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            long small = link.near().figures().buffers().registeredBytes()
                    + link.far().figures().buffers().registeredBytes();
            assertTrue(small < 16 << 10, small + " bytes");
            transferAll(pair, link.near(), vector(LARGE));
            transferAll(pair, link.far(), vector(LARGE));
            pair.until(() -> Pair.settled(link.near()) && Pair.settled(link.far()));
            long large = link.near().figures().buffers().registeredBytes()
                    + link.far().figures().buffers().registeredBytes();
            assertTrue(large >= 256 << 10 && large < 258 << 10, large + " bytes");
            // What is registered is what was asked for: the small buffers were unregistered and freed.
            assertEquals(large, pair.left.registeredBytes() + pair.right.registeredBytes());
        }
    }

    @Test
    void threePhases_oneAfterTheOtherOrSkipped() throws IOException {
        EnlargementPolicy three = EnlargementPolicy.of(Phase.of(200), Phase.of(2000), Phase.of(60_000));
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(three))) {
            Pair.Link link = pair.connect();
            transferAll(pair, link.near(), vector(1000));
            assertEquals(1, link.near().figures().buffers().sendPhase());
            transferAll(pair, link.near(), vector(50_000));
            assertEquals(2, link.near().figures().buffers().sendPhase());
            assertEquals(2, link.near().figures().changes().enlargements());
            transferAll(pair, link.far(), vector(50_000)); // skips a phase
            assertEquals(1, link.far().figures().changes().enlargements());
        }
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(three.withSkip(false)))) {
            Pair.Link link = pair.connect();
            transferAll(pair, link.near(), vector(50_000));
            assertEquals(2, link.near().figures().changes().enlargements());
        }
    }

    @Test
    void policyChangedWhileTheChannelLives_countsFromTheNextElement() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults().withMemory(1 << 30, 1 << 20))) {
            Pair.Link link = pair.connect();
            link.near().policy(EnlargementPolicy.of(new Phase(700, 100), Phase.of(100_000)));
            transferAll(pair, link.near(), vector(101));
            assertEquals(100_000, link.near().figures().buffers().sendPayloadBytes());
            transferAll(pair, link.near(), vector(100_000));
            expect(pair, 101);
        }
    }

    @Test
    void nothingCanGo_theCallAnswersZeroAndReturns() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            TransferVector vector = vector(1, 2, 3, 4, 5, 6);
            assertEquals(4, link.near().transfer(0, vector)); // as many as there are slots
            assertEquals(0, link.near().transfer(0, vector));
            assertEquals(1 + 2 + 3 + 4, vector.transferredBytes());
            transferAll(pair, link.near(), vector);
            TransferVector large = vector(5000);
            for (int i = 0; i < 10; i++) {
                assertEquals(0, link.near().transfer(0, large)); // the peer has not looked: awaited, not blocked
            }
            assertFalse(large.done());
            transferAll(pair, link.near(), large);
        }
    }

    @Test
    void elementLargerThanAllPhases_isRefusedWithAMessage() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            String sentence = String.valueOf(assertThrows(
                            IllegalArgumentException.class, () -> link.near().transfer(0, vector(LARGE + 1)))
                    .getMessage());
            assertTrue(sentence.contains("16385") && sentence.contains("16384"), sentence);
        }
    }

    @Test
    void enlargedThenIdle_shrinksBackToTheFirstPhase() throws IOException {
        EnlargementPolicy shrinking = EnlargementPolicy.defaults().withShrinkAfter(Duration.ofMillis(20));
        try (Pair pair = new Pair(ChannelOptions.defaults().withPolicy(shrinking))) {
            Pair.Link link = pair.connect();
            transferAll(pair, link.near(), vector(5000));
            expect(pair, 5000);
            assertEquals(LARGE, link.near().figures().buffers().sendPayloadBytes());
            pair.aheadNs += 1_000_000_000;
            pair.until(() -> link.near().figures().buffers().sendPayloadBytes() == SMALL && Pair.settled(link.near()));
            assertEquals(1, link.near().figures().changes().shrinks());
            long small = pair.left.registeredBytes() + pair.right.registeredBytes();
            assertTrue(small < 16 << 10, small + " bytes");
            transferAll(pair, link.near(), vector(6000));
            expect(pair, 6000);
        }
    }

    @Test
    void eagerAndRendezvous_countedByTheirThreshold() {
        Ranks.run(2, MessagingOptions.defaults(), world -> {
            var memory = Payloads.segment(100_000, 1);
            if (world.rank() == 0) {
                world.send(memory, 0, 700, 1, 0);
                world.send(memory, 0, 16_384, 1, 0);
                world.send(memory, 0, 16_385, 1, 0);
                world.barrier();
                ChannelFigures figures = world.figures(1).orElseThrow();
                assertEquals(2 + 1, figures.messages().eager()); // one of the barrier
                assertEquals(1, figures.messages().rendezvous());
                assertEquals(1, figures.changes().enlargements());
            } else {
                for (int i = 0; i < 3; i++) {
                    world.recv(memory, 0, 0);
                }
                world.barrier();
            }
        });
    }
}
