package io.verbena.survival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.Modules;
import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.survival.AssociationStep.Abandon;
import io.verbena.survival.AssociationStep.Answer;
import io.verbena.survival.AssociationStep.Carry;
import io.verbena.survival.AssociationStep.Fail;
import io.verbena.survival.AssociationStep.Fence;
import io.verbena.survival.AssociationStep.Offer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One side of an association as scripts. The model has the orders of both. */
class AssociationTest {

    private static final long MS = 1_000_000;
    private static final AssociationSettings SETTINGS = AssociationSettings.defaults();

    private final Association<RequestLog> side0 = association(0, 2, () -> 0);
    private final Association<RequestLog> side1 = association(1, 2, () -> 0);

    private static Association<RequestLog> association(int side, int addresses, RandomSource random) {
        RequestLog log = new RequestLog(SETTINGS.requests(), SETTINGS.depth());
        return new Association<>(side, addresses, SETTINGS, log, new ExecutionRecord(SETTINGS.depth()), random);
    }

    private static List<AssociationStep> steps(Association<RequestLog> association) {
        List<AssociationStep> steps = new ArrayList<>();
        for (Optional<AssociationStep> step = association.poll(); step.isPresent(); step = association.poll()) {
            steps.add(step.orElseThrow());
        }
        return steps;
    }

    private static ResumeMessage message(ResumeType type, int side, long epoch) {
        return new ResumeMessage(type, side, epoch, ResumePoint.none());
    }

    private static void end(Association<RequestLog> association) {
        association.transportEnded(association.epoch(), 0);
        association.fenced(0);
    }

    @Test
    void carried_transportEnds_fencesThenOffersTheNextAddress() {
        side0.transportEnded(1, 0);
        assertEquals(List.of(new Fence(1)), steps(side0));
        side0.fenced(0);
        assertEquals(List.of(new Offer(1, message(ResumeType.RESUME, 0, 2))), steps(side0));
        side0.arrived(message(ResumeType.RESUMED, 1, 2), MS);
        assertEquals(List.of(new Carry(2)), steps(side0));
        assertEquals(Times.NEVER, side0.nextDeadlineNs());
    }

    @Test
    void carried_resumeArrives_answersOnlyAfterTheFence() {
        side1.arrived(message(ResumeType.RESUME, 0, 2), 0);
        assertEquals(List.of(new Fence(1)), steps(side1));
        side1.fenced(MS);
        assertEquals(List.of(new Answer(2, message(ResumeType.RESUMED, 1, 2)), new Carry(2)), steps(side1));
    }

    @Test
    void carried_resumeOfAnOldEpochOrOfThisSide_changesNothing() {
        side1.arrived(message(ResumeType.RESUME, 0, 1), 0);
        assertEquals(List.of(new Answer(1, message(ResumeType.STALE, 1, 1))), steps(side1));
        side1.arrived(message(ResumeType.RESUME, 1, 9), 0);
        side1.arrived(message(ResumeType.RESUMED, 0, 9), 0);
        side1.arrived(message(ResumeType.UNKNOWN, 0, 9), 0);
        side1.arrived(message(ResumeType.STALE, 0, 9), 0);
        assertEquals(List.of(), steps(side1));
        assertEquals(AssociationState.CARRIED, side1.state());
    }

    @Test
    void bothResumeAtOnce_side0Wins() {
        end(side0);
        end(side1);
        steps(side0);
        steps(side1);
        side0.arrived(message(ResumeType.RESUME, 1, 2), 0);
        assertEquals(List.of(), steps(side0));
        side1.arrived(message(ResumeType.RESUME, 0, 2), 0);
        assertEquals(
                List.of(new Abandon(2), new Answer(2, message(ResumeType.RESUMED, 1, 2)), new Carry(2)), steps(side1));
    }

    @Test
    void resuming_peerHasAHigherEpoch_theNextAttemptExceedsIt() {
        end(side0);
        steps(side0);
        side0.arrived(message(ResumeType.STALE, 1, 40), 0);
        assertEquals(
                List.of(new Abandon(2)), steps(side0), "the peer may be resuming, and both addresses had a failure");
        side0.onDeadline(side0.nextDeadlineNs());
        assertEquals(List.of(new Offer(0, message(ResumeType.RESUME, 0, 41))), steps(side0));
    }

    @Test
    void resuming_noAnswer_triesOtherAddressesUntilPatienceEnds() {
        end(side0);
        long nowNs = 0;
        int attempts = 0;
        List<AssociationStep> all = steps(side0);
        while (side0.state() != AssociationState.LOST && attempts < 1_000) {
            nowNs += Times.leftNs(side0.nextDeadlineNs(), nowNs);
            side0.onDeadline(nowNs);
            all.addAll(steps(side0));
            attempts++;
        }
        assertEquals(new Fail(LostReason.TOO_LATE), all.getLast());
        assertEquals(60_000 * MS, nowNs);
        long offers = all.stream().filter(Offer.class::isInstance).count();
        assertTrue(offers >= 30 && offers <= 61, offers + " attempts of 1 s in 60 s");
        assertEquals(Times.NEVER, side0.nextDeadlineNs());
    }

    @Test
    void resuming_noAddressKnowsTheAssociation_isLostAtOnce() {
        end(side0);
        side0.arrived(message(ResumeType.UNKNOWN, 1, 2), MS);
        side0.onDeadline(10 * MS);
        side0.arrived(message(ResumeType.UNKNOWN, 1, 3), 11 * MS);
        assertEquals(new Fail(LostReason.UNKNOWN_TO_PEER), steps(side0).getLast());
        assertEquals(AssociationState.LOST, side0.state());
    }

    @Test
    void progressThatThePeerCannotHave_losesTheAssociation() {
        side1.requests().post(RequestKind.ATOMIC, false);
        side1.requests().send();
        for (ResumePoint progress : List.of(
                new ResumePoint(1, 0, List.of()), new ResumePoint(0, 2, List.of()), new ResumePoint(0, 1, List.of()))) {
            Association<RequestLog> each = association(1, 1, () -> 0);
            each.requests().post(RequestKind.ATOMIC, false);
            each.requests().send();
            each.arrived(new ResumeMessage(ResumeType.RESUME, 0, 2, progress), 0);
            each.fenced(0);
            assertEquals(List.of(new Fence(1), new Fail(LostReason.VIOLATION)), steps(each), progress.toString());
        }
    }

    @Test
    void carried_fenced_isMisuse() {
        assertThrows(IllegalStateException.class, () -> side0.fenced(0));
    }

    @Test
    void fencing_closed_doesNothingMore() {
        side0.transportEnded(1, 0);
        side0.close();
        side0.fenced(0);
        side0.arrived(message(ResumeType.RESUME, 1, 5), 0);
        side0.onDeadline(Long.MAX_VALUE / 8);
        assertEquals(List.of(), steps(side0));
        assertEquals(AssociationState.CLOSED, side0.state());
    }

    @Test
    void lastConnectionsAchievedNothing_pausesGrow() {
        long nowNs = 0;
        for (int round = 0; round < 10; round++) {
            side0.transportEnded(side0.epoch(), nowNs);
            side0.fenced(nowNs);
            while (side0.state() == AssociationState.PAUSED) {
                nowNs += Times.leftNs(side0.nextDeadlineNs(), nowNs);
                side0.onDeadline(nowNs);
            }
            Offer offer = (Offer) steps(side0).getLast();
            side0.arrived(message(ResumeType.RESUMED, 1, offer.resume().epoch()), nowNs);
            steps(side0);
        }
        assertTrue(nowNs >= 150 * MS, "10 connections that carry nothing take " + nowNs / MS + " ms");
    }

    @Test
    @Tag(Seeds.TAG)
    void anyMessagesOfThePeer_neverThrow() {
        Seeds.each(2_000, seed -> {
            Random random = new Random(seed);
            Association<RequestLog> association = association(random.nextInt(2), 2, random::nextLong);
            long nowNs = random.nextLong();
            for (int i = 0; i < 60; i++) {
                association.requests().post(RequestKind.values()[random.nextInt(4)], random.nextBoolean());
                nowNs += random.nextInt(1_000_000_000);
                step(association, random, nowNs);
                for (AssociationStep step : steps(association)) {
                    assertTrue(!(step instanceof Offer) || association.state() == AssociationState.RESUMING);
                }
            }
        });
    }

    private static void step(Association<RequestLog> association, Random random, long nowNs) {
        switch (random.nextInt(5)) {
            case 0 -> association.transportEnded(association.epoch(), nowNs);
            case 1 -> {
                if (association.state() == AssociationState.FENCING
                        || association.state() == AssociationState.FENCING_TO_ANSWER) {
                    association.fenced(nowNs);
                }
            }
            case 2 -> association.onDeadline(nowNs);
            case 3 -> association.requests().send();
            default ->
                association.arrived(
                        new ResumeMessage(
                                ResumeType.of(1 + random.nextInt(4)),
                                random.nextInt(2),
                                association.epoch() + random.nextInt(4),
                                new ResumePoint(random.nextInt(2), random.nextInt(3), List.of())),
                        nowNs);
        }
    }

    @Test
    void documentation_hasTheStates() throws IOException {
        String page = Files.readString(Modules.ROOT.resolve("docs/survival.md"));
        assertTrue(
                page.contains("```mermaid\nstateDiagram-v2\n" + AssociationTable.TABLE.mermaid("") + "```\n"),
                () -> AssociationTable.TABLE.mermaid(""));
    }
}
