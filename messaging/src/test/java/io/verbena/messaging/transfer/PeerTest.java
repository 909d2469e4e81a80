package io.verbena.messaging.transfer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a peer is notified that its sends have been read. */
class PeerTest {

    private final Peer peer = new Peer(1, 0, 0);

    @BeforeEach
    void readTwo() {
        peer.transferPosted();
        peer.transferPosted();
        assertFalse(peer.readDoneDue());
    }

    @Test
    void message_isReportedAtOnce() {
        peer.onRead(7, false);
        assertTrue(peer.readDoneDue());
    }

    @Test
    void pieces_areReportedWithTheLastOne() {
        peer.onRead(7, true);
        assertFalse(peer.readDoneDue());
        peer.onRead(8, false);
        assertTrue(peer.readDoneDue());
        assertTrue(peer.readDoneDue()); // the channel had no slot
        peer.readDone.clear();
        assertFalse(peer.readDoneDue());
        peer.onRead(9, true);
        assertFalse(peer.readDoneDue());
    }

    @Test
    void pieces_fillAnElement_areReported() {
        for (int i = 0; i < Rendezvous.MAX_NUMBERS - 1; i++) {
            peer.onRead(i, true);
        }
        assertFalse(peer.readDoneDue());
        peer.onRead(99, true);
        assertTrue(peer.readDoneDue());
    }

    /** The other pieces were given up before they were read. */
    @Test
    void nothingIsRead_piecesAreReported() {
        peer.transferEnded();
        peer.onRead(7, true);
        assertFalse(peer.readDoneDue());
        peer.transferEnded();
        assertTrue(peer.readDoneDue());
    }
}
