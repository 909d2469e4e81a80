package io.verbena.sockets.ring.channel;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RingSetUpTest {

    @Test
    void serverWithoutMemory_refuses_andTheConnectionRemains() throws Exception {
        try (OneProcess both = OneProcess.connected();
                RingOffering offering = both.offer()) {
            assertEquals(Optional.empty(), both.answer(Optional.empty()));
            assertEquals(Optional.empty(), both.advance(offering));
            assertTrue(offering.refused());
            assertEquals(1, both.clientTcp.write(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void memoryWithoutTheNonce_isNotUsed() throws Exception {
        try (OneProcess both = OneProcess.connected();
                RingOffering offering = both.offer()) {
            both.memory().putLong(16, 0);
            assertEquals(Optional.empty(), both.answer(Optional.of(both)));
            assertEquals(Optional.empty(), both.advance(offering));
            assertTrue(offering.refused());
        }
    }

    @Test
    void answerOfOneThatHasNotOpenedTheMemory_isAFailure() throws Exception {
        try (OneProcess both = OneProcess.connected();
                RingOffering offering = both.offer()) {
            both.answer(Optional.of(both));
            both.memory().putLong(24, 0);
            assertThrows(IOException.class, () -> both.advance(offering));
        }
    }

    @Test
    void otherBytesThanAnAnswer_areAFailure() throws Exception {
        try (OneProcess both = OneProcess.connected();
                RingOffering offering = both.offer()) {
            both.serverTcp.write(ByteBuffer.wrap("220 mail".getBytes(US_ASCII)));
            assertThrows(IOException.class, () -> both.advance(offering));
        }
    }

    @Test
    void endBeforeTheAnswer_isAFailure() throws Exception {
        try (OneProcess both = OneProcess.connected();
                RingOffering offering = both.offer()) {
            both.serverTcp.shutdownOutput();
            assertThrows(EOFException.class, () -> both.advance(offering));
        }
    }

    @Test
    void offer_isOne_onlyIfItIsWhole_andItsSizeIsPermitted() {
        byte[] offer = new RingFrame.Offer(new RingFrame.Nonce(1, 2), 3, 4, 8192).bytes();
        assertTrue(RingFrame.isOffer(offer));
        assertFalse(RingFrame.isOffer(Arrays.copyOf(offer, offer.length - 1)));
        assertTrue(RingFrame.beginsOffer(Arrays.copyOf(offer, 3)));
        for (int size : new int[] {-1, 0, 4095, 8191, 1 << 25, Integer.MIN_VALUE}) {
            assertFalse(RingFrame.isOffer(new RingFrame.Offer(new RingFrame.Nonce(1, 2), 3, 4, size).bytes()));
        }
    }
}
