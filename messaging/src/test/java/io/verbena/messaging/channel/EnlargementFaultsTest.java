package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SenderState;
import io.verbena.messaging.ring.AcknowledgementPath;
import io.verbena.messaging.ring.BufferSource;
import io.verbena.messaging.ring.ControlBlock;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Faults while buffers change. The test advances the time. */
class EnlargementFaultsTest {

    private static final int LARGE = 16 << 10;
    private static final ChannelOptions OPTIONS = ChannelOptions.defaults()
            .withTimes(Duration.ofSeconds(1000), Duration.ofSeconds(100_000), Duration.ofSeconds(100));
    private static final long SECOND_NS = 1_000_000_000L;

    private final TransferVector vector = new TransferVector().add(Payloads.segment(5000, 1), 0, 5000);

    /** Left asks for large buffers; right's answers go as {@code path} says. */
    private Pair.Link asked(Pair pair, AcknowledgementPath path) throws IOException {
        Pair.Link link = pair.connect();
        pair.right.replace(BufferSource.verbs(), path);
        assertEquals(0, link.near().transfer(0, vector));
        return link;
    }

    private static AcknowledgementPath altered(Pair pair, UnaryOperator<Acknowledgement> change) {
        AcknowledgementPath good = AcknowledgementPath.oneWrite(pair.scratch);
        return (poster, flow, ack) -> good.post(poster, flow, change.apply(ack));
    }

    private void recovers(Pair pair, Pair.Link link) {
        pair.right.replace(BufferSource.verbs(), AcknowledgementPath.oneWrite(pair.scratch));
        pair.until(() -> {
            link.near().transfer(0, vector);
            return vector.done();
        });
        pair.until(() -> !pair.rightInbox.arrived.isEmpty());
        pair.rightInbox.expect(Payloads.bytes(5000, 1));
        assertEquals(LARGE, link.near().figures().buffers().sendPayloadBytes());
    }

    @Test
    void late_nothingGoesMeanwhileThenItDoes() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            Pair.Link link = asked(pair, (poster, flow, ack) -> false);
            for (int i = 0; i < 100; i++) {
                pair.progress();
                assertEquals(0, link.near().transfer(0, vector));
            }
            recovers(pair, link);
            assertEquals(0, link.near().figures().changes().repetitions());
        }
    }

    @Test
    void lost_isAskedForOnceMoreAfterItsTime() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            Pair.Link link = asked(pair, (poster, flow, ack) -> true);
            pair.rounds(100);
            assertEquals(0, link.near().figures().changes().repetitions());
            pair.aheadNs += 1001 * SECOND_NS;
            recovers(pair, link);
            assertEquals(1, link.near().figures().changes().repetitions());
        }
    }

    @Test
    void neverComes_channelEndsWithAMessage() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            Pair.Link link = asked(pair, (poster, flow, ack) -> true);
            for (int i = 0; i < 200 && link.near().open(); i++) {
                pair.aheadNs += 1000 * SECOND_NS;
                pair.rounds(5);
            }
            assertFalse(link.near().open());
            assertTrue(
                    link.near().reason().contains("did not acknowledge"),
                    link.near().reason());
            assertThrows(MessagingException.class, () -> link.near().transfer(0, vector));
        }
    }

    @Test
    void torn_headWithoutTail_isWaitedForWithinTheBoundThenAskedForAgain() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            Pair.Link link = asked(pair, (poster, flow, ack) -> {
                ack.write(pair.scratch, 0);
                return poster.writeControl(ControlBlock.acknowledgementAt(flow), pair.scratch, 0, 24);
            });
            pair.until(() -> link.near().flow(0).send().side().state() == SenderState.HEAD_SEEN);
            pair.rounds(100);
            assertEquals(0, link.near().figures().changes().repetitions());
            assertEquals(0, link.near().transfer(0, vector));
            pair.aheadNs += 101 * SECOND_NS;
            recovers(pair, link);
            assertEquals(1, link.near().figures().changes().repetitions());
        }
    }

    @Test
    void repeated_secondOneHasNoEffect() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            AcknowledgementPath[] good = new AcknowledgementPath[1];
            Pair.Link link = asked(pair, (poster, flow, ack) -> {
                boolean once = good[0].post(poster, flow, ack);
                return once && good[0].post(poster, flow, ack);
            });
            good[0] = AcknowledgementPath.oneWrite(pair.scratch);
            pair.until(() -> link.near().figures().buffers().sendPayloadBytes() == LARGE);
            pair.rounds(20);
            link.far()
                    .flow(0)
                    .receive()
                    .onRepetitionRequested(link.far().flow(0).receive().side().request());
            pair.rounds(20);
            recovers(pair, link);
            assertEquals(1, link.near().figures().changes().enlargements());
        }
    }

    @Test
    void elementAnnouncedWhileItsRepetitionIsDue_isTakenAllTheSame() throws IOException {
        try (Pair pair = new Pair(OPTIONS.withMaxPolled(1))) {
            SocketAddress address = pair.listen();
            Pair.Link busy = pair.connect(address); // the one that is polled
            TransferVector small = new TransferVector().add(Payloads.segment(8, 1), 0, 8);
            assertEquals(1, busy.near().transfer(0, small));
            pair.until(() -> pair.right.polledChannels() == 1);
            Pair.Link link = pair.connect(address);
            pair.rightInbox.arrived.clear();

            pair.right.replace(BufferSource.verbs(), (poster, flow, ack) -> false);
            link.far()
                    .flow(0)
                    .receive()
                    .onRepetitionRequested(link.far().flow(0).receive().side().request());
            assertEquals(1, link.near().transfer(0, small.clear().add(Payloads.segment(8, 2), 0, 8)));
            pair.until(() -> link.far().flow(0).receive().side().announcements() == 1);
            assertTrue(pair.rightInbox.arrived.isEmpty());

            pair.right.replace(BufferSource.verbs(), AcknowledgementPath.oneWrite(pair.scratch));
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            pair.rightInbox.expect(Payloads.bytes(8, 2));
        }
    }

    @Test
    void wrongKey_connectionEndsWithTheReason() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            Pair.Link link = asked(
                    pair,
                    altered(
                            pair,
                            ack -> new Acknowledgement(
                                    ack.request(),
                                    ack.payloadBytes(),
                                    ack.slots(),
                                    ack.refusal(),
                                    new Acknowledgement.Ring(
                                            ack.ring().address(),
                                            ack.ring().lengthBytes(),
                                            ack.ring().rkey() ^ 0x100,
                                            ack.ring().nonce()))));
            pair.until(() -> {
                if (link.near().open()) {
                    link.near().transfer(0, vector);
                }
                return link.near().state() == Channel.State.ENDED;
            });
            assertFalse(link.near().reason().isEmpty());
            assertTrue(pair.rightInbox.arrived.isEmpty());
        }
    }

    @Test
    void impossibleSizes_areTakenAsNotReceived() throws IOException {
        for (int i = 0; i < 4; i++) {
            vector.clear().add(Payloads.segment(5000, 1), 0, 5000);
            int kind = i;
            try (Pair pair = new Pair(OPTIONS)) {
                Pair.Link link = asked(
                        pair,
                        altered(
                                pair,
                                ack -> new Acknowledgement(
                                        ack.request(),
                                        kind == 0 ? -5 : kind == 1 ? LARGE / 2 : ack.payloadBytes(),
                                        kind == 2 ? 0 : ack.slots(),
                                        ack.refusal(),
                                        new Acknowledgement.Ring(
                                                ack.ring().address(),
                                                kind == 3
                                                        ? ack.ring().lengthBytes() * 2
                                                        : ack.ring().lengthBytes(),
                                                ack.ring().rkey(),
                                                ack.ring().nonce()))));
                pair.until(() -> link.near().figures().changes().repetitions() > 0);
                assertTrue(link.near().open());
                assertFalse(vector.done());
                pair.right.replace(BufferSource.verbs(), AcknowledgementPath.oneWrite(pair.scratch));
                for (int k = 0; k < 50 && !vector.done(); k++) {
                    pair.aheadNs += 1000 * SECOND_NS; // the repetitions come at growing distances
                    pair.rounds(10);
                    link.near().transfer(0, vector);
                }
                recovers(pair, link);
            }
        }
    }

    @Test
    void peerDiesBeforeItAcknowledges_channelEndsWithAReason() throws IOException {
        Pair pair = new Pair(OPTIONS);
        Pair.Link link = asked(pair, (poster, flow, ack) -> false);
        pair.rounds(10);
        pair.rightRnic.close();
        pair.until(() -> {
            pair.left.progress();
            return link.near().state() == Channel.State.ENDED;
        });
        assertFalse(link.near().reason().isEmpty());
        assertEquals(0, pair.left.registeredBytes());
        pair.left.close();
        pair.leftRnic.close();
    }

    @Test
    void receiverBudgetUsedUp_requestIsRefused_smallBuffersStillWork() throws IOException {
        ChannelOptions poor = OPTIONS.withMemory(20_000, 1 << 20);
        try (Pair pair = new Pair(OPTIONS, poor)) {
            refused(pair, RefusalReason.RECEIVER_BUDGET);
        }
    }

    @Test
    void senderBudgetUsedUp_noRequestIsSent_smallBuffersStillWork() throws IOException {
        ChannelOptions poor = OPTIONS.withMemory(20_000, 1 << 20);
        try (Pair pair = new Pair(poor, OPTIONS)) {
            refused(pair, RefusalReason.SENDER_BUDGET);
        }
    }

    @Test
    void receiverDoesNotHaveSuchBuffers_requestIsRefused() throws IOException {
        ChannelOptions small = OPTIONS.withPolicy(EnlargementPolicy.of(io.verbena.messaging.policy.Phase.of(700)))
                .withMemory(1 << 20, 700);
        try (Pair pair = new Pair(OPTIONS, small)) {
            refused(pair, RefusalReason.TOO_LARGE);
        }
    }

    @Test
    void receiverSystemHasNoMemory_smallBuffersComeBack() throws IOException {
        try (Pair pair = new Pair(OPTIONS)) {
            pair.right.replace(scarce(), AcknowledgementPath.oneWrite(pair.scratch));
            refused(pair, RefusalReason.RECEIVER_MEMORY);
        }
    }

    @Test
    void senderSystemHasNoMemory_smallStagingGoesOnInLargeRings() throws IOException {
        for (boolean first : new boolean[] {false, true}) {
            ChannelOptions options =
                    OPTIONS.withPolicy(EnlargementPolicy.defaults().withProvisionFirst(first));
            try (Pair pair = new Pair(options)) {
                pair.left.replace(scarce(), AcknowledgementPath.oneWrite(pair.scratch));
                refused(pair, RefusalReason.SENDER_MEMORY);
            }
        }
    }

    private static BufferSource scarce() {
        return (domain, bytes, rights) ->
                bytes > 10_000 ? Optional.empty() : BufferSource.verbs().allocate(domain, bytes, rights);
    }

    private void refused(Pair pair, RefusalReason why) throws IOException {
        vector.clear().add(Payloads.segment(5000, 1), 0, 5000);
        Pair.Link link = pair.connect();
        pair.until(() -> {
            try {
                link.near().transfer(0, vector);
                return false;
            } catch (IllegalArgumentException e) {
                assertTrue(String.valueOf(e.getMessage()).contains(why.description()), e.getMessage());
                return true;
            }
        });
        assertEquals(why, link.near().flow(0).send().side().refusal());
        assertEquals(1, link.near().figures().changes().refusals());
        for (int i = 0; i < 20; i++) {
            TransferVector small = new TransferVector().add(Payloads.segment(700, i), 0, 700);
            pair.until(() -> {
                link.near().transfer(0, small);
                return small.done();
            });
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            pair.rightInbox.expect(Payloads.bytes(700, i));
        }
    }
}
