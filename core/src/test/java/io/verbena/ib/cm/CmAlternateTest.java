package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Proposals of alternate paths that meet the end of their connection, or a proposal of the other side. */
class CmAlternateTest {

    private static final CmPort.Alternate PATH = new CmPort.Alternate(0, 0xffff_0a4e_0003L, 0, 0xffff_0a4e_0002L, 19);
    private static final long SECOND_NS = 1_000_000_000L;

    private final CmPair pair = new CmPair(1, true);
    private final int[] both = pair.established();

    /** The APR of the peer to a proposal of this side, which has not arrived yet. */
    private byte[] lateAnswer() {
        pair.a.agent.proposeAlternate(both[0], PATH, pair.nowNs);
        pair.toB();
        pair.b.agent.answerAlternate(both[1], 0);
        pair.b.collect();
        return pair.b.wire.removeFirst();
    }

    @Test
    void dreqSent_answerToProposal_dreqIsStillRepeated() {
        byte[] answer = lateAnswer();
        pair.a.agent.disconnect(both[0], pair.nowNs);
        assertEquals(List.of("DREQ"), pair.a.sent()); // lost
        pair.a.receive(answer, pair.nowNs);
        pair.pass(SECOND_NS);
        assertEquals(List.of("DREQ"), pair.a.sent());
        assertEquals(0, pair.a.count(CmSignal.AlternateAnswered.class));
    }

    @Test
    void timeWait_answerToProposal_connectionIsStillForgotten() {
        byte[] answer = lateAnswer();
        pair.b.agent.disconnect(both[1], pair.nowNs);
        pair.toA();
        assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
        assertFalse(pair.a.agent.answersArrived());
        pair.a.receive(answer, pair.nowNs);
        pair.pass(60 * SECOND_NS);
        assertEquals(0, pair.a.agent.size());
        assertTrue(pair.a.agent.answersArrived());
    }

    @Test
    void dreqSent_proposal_isNotSent() {
        pair.a.agent.disconnect(both[0], pair.nowNs);
        assertEquals(List.of("DREQ"), pair.a.sent());
        assertFalse(pair.a.agent.proposeAlternate(both[0], PATH, pair.nowNs));
        assertEquals(List.of(), pair.a.sent());
    }

    @Test
    void proposalOfPeerUndecided_ownProposal_answerNamesThePeersProposal() {
        pair.b.agent.proposeAlternate(both[1], PATH, pair.nowNs);
        pair.toA();
        pair.a.last(CmSignal.AlternateProposed.class);
        pair.a.agent.proposeAlternate(both[0], PATH, pair.nowNs);
        pair.a.agent.answerAlternate(both[0], 0);
        pair.toB();
        assertEquals(0, pair.b.last(CmSignal.AlternateAnswered.class).status());
    }
}
