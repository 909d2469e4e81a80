package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.protocol.ReceiveSide.Head;
import org.junit.jupiter.api.Test;

/** The receiver's machine as scripts. */
class ReceiveSideTest {

    private final ReceiveSide side = new ReceiveSide(700, 50);

    private void receiving(int payload, int slots) {
        side.onProvisioned(payload, slots, 99);
        side.onAcknowledged();
    }

    @Test
    void first_isProvisionedAndAcknowledged() {
        assertEquals(ReceiverState.PROVISIONING, side.state());
        assertEquals(1, side.request());
        assertEquals(700, side.requestedPayloadBytes());
        side.onProvisioned(700, 4, 99);
        assertEquals(ReceiverState.ACKNOWLEDGING, side.state());
        assertFalse(side.returnDue());
        side.onAcknowledged();
        assertEquals(ReceiverState.RECEIVING, side.state());
        assertEquals(700, side.payloadBytes());
        assertEquals(4, side.slots());
        assertEquals(99, side.nonce());
        assertEquals(1, side.nextNumber());
        assertEquals(0, side.nextSlot());
    }

    @Test
    void heads_nextEmptyOrImpossible() {
        receiving(700, 4);
        assertEquals(Head.EMPTY, side.onHead(0));
        assertEquals(Head.EMPTY, side.onHead(SlotLayout.head(2, 5)));
        assertEquals(Head.NEXT, side.onHead(SlotLayout.head(1, 0)));
        assertEquals(Head.NEXT, side.onHead(SlotLayout.head(1, 700)));
        assertEquals(Head.IMPOSSIBLE, side.onHead(SlotLayout.head(1, 701)));
        assertEquals(Head.IMPOSSIBLE, side.onHead(SlotLayout.head(1, -1)));
        side.onTaken(false);
        assertEquals(Head.EMPTY, side.onHead(SlotLayout.head(1, 5)), "of the lap before");
        assertEquals(Head.NEXT, side.onHead(SlotLayout.head(2, 5)));
    }

    @Test
    void tail_isAwaitedFromTheFirstLook_perMessage() {
        receiving(700, 4);
        assertTrue(side.mayWaitForTail(1000));
        assertTrue(side.mayWaitForTail(1050));
        assertFalse(side.mayWaitForTail(1051));
        side.onTaken(false);
        assertTrue(side.mayWaitForTail(2000), "another message, another bound");
        assertTrue(side.mayWaitForTail(2050));
        assertFalse(side.mayWaitForTail(2051));
    }

    @Test
    void tail_clockWraps_isADifference() {
        receiving(700, 4);
        assertTrue(side.mayWaitForTail(Long.MAX_VALUE - 10));
        assertTrue(side.mayWaitForTail(Long.MIN_VALUE + 39));
        assertFalse(side.mayWaitForTail(Long.MIN_VALUE + 40));
    }

    @Test
    void taken_slotsGoRound_andAreGivenBackByHalves() {
        receiving(700, 4);
        side.onTaken(false);
        assertEquals(1, side.returned());
        assertFalse(side.returnDue());
        side.onTaken(false);
        assertTrue(side.returnDue());
        side.onReported();
        assertFalse(side.returnDue());
        side.onTaken(false);
        assertEquals(3, side.nextSlot());
        side.onTaken(false);
        assertEquals(0, side.nextSlot());
        assertEquals(5, side.nextNumber());
        assertTrue(side.returnDue());
    }

    @Test
    void ringOfOneSlot_isGivenBackAtOnce() {
        receiving(700, 1);
        assertFalse(side.returnDue());
        side.onTaken(false);
        assertTrue(side.returnDue());
        assertEquals(0, side.nextSlot());
    }

    @Test
    void tickets_areUsedByAnnouncedMessagesOnly() {
        receiving(700, 4);
        assertEquals(0, side.announcements());
        side.onAnnouncement();
        side.onAnnouncement();
        side.onTaken(false);
        assertEquals(2, side.announcements());
        side.onTaken(true);
        assertEquals(1, side.announcements());
    }

    @Test
    void enlargement_numbersGoOn_allSlotsAreFree() {
        receiving(700, 4);
        for (int i = 0; i < 3; i++) {
            side.onTaken(false);
        }
        side.onControlMessage(16_384);
        assertEquals(ReceiverState.PROVISIONING, side.state());
        assertEquals(2, side.request());
        assertEquals(16_384, side.requestedPayloadBytes());
        side.onProvisioned(16_384, 2, 55);
        assertEquals(1, side.nextSlot(), "3 modulo 2");
        assertEquals(4, side.nextNumber());
        assertEquals(55, side.nonce());
        side.onAcknowledged();
        assertFalse(side.returnDue(), "the acknowledgement has given them back");
        assertEquals(Head.NEXT, side.onHead(SlotLayout.head(4, 16_384)));
    }

    @Test
    void repetition_ofTheLastRequestOnly() {
        side.onRepetitionRequested(1);
        assertEquals(ReceiverState.PROVISIONING, side.state());
        receiving(700, 4);
        side.onRepetitionRequested(2);
        assertEquals(ReceiverState.RECEIVING, side.state());
        side.onRepetitionRequested(1);
        assertEquals(ReceiverState.ACKNOWLEDGING, side.state());
        side.onRepetitionRequested(1);
        assertEquals(ReceiverState.ACKNOWLEDGING, side.state());
        side.onAcknowledged();
        assertEquals(ReceiverState.RECEIVING, side.state());
    }

    @Test
    void repetition_requestsBeyond16Bits_areComparedByTheirLowHalf() {
        for (int i = 0; i < 65_536; i++) {
            receiving(700, 4);
            side.onControlMessage(700);
        }
        receiving(700, 4);
        assertEquals(65_537, side.request());
        side.onRepetitionRequested(1);
        assertEquals(ReceiverState.ACKNOWLEDGING, side.state());
    }

    @Test
    void ended_staysSo() {
        receiving(700, 4);
        side.onTaken(false);
        side.onTaken(false);
        side.onEnded();
        assertEquals(ReceiverState.ENDED, side.state());
        assertFalse(side.returnDue());
        side.onEnded();
        side.onRepetitionRequested(1);
        assertEquals(ReceiverState.ENDED, side.state());
        assertTrue(side.toString().contains("ENDED") && side.toString().contains("number 2"), side.toString());
    }

    @Test
    void acknowledgedTwice_isABug() {
        receiving(700, 4);
        assertThrows(IllegalStateException.class, side::onAcknowledged);
    }
}
