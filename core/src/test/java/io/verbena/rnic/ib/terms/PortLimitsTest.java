package io.verbena.rnic.ib.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.InfinibandOptions;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Windows derived from receive buffers, and the statement of a buffer's size to the peer. */
class PortLimitsTest {

    private static final int MTU = 1024;

    private static PortLimits limits(int bufferBytes) {
        return new PortLimits(InfinibandOptions.defaults(), bufferBytes, true);
    }

    @Test
    void bufferSize_statedToThePeer_isAtMostAThirdLess() {
        assertEquals(OptionalInt.empty(), PaddedData.receiveBufferBytes(PaddedData.NONE));
        assertEquals(OptionalInt.empty(), PaddedData.receiveBufferBytes(PaddedData.receiveBuffer(65_535)));
        for (int bytes = 65_536; bytes <= 8 << 20; bytes += 7_777) {
            int stated = PaddedData.receiveBufferBytes(PaddedData.receiveBuffer(bytes))
                    .orElseThrow();
            assertTrue(stated <= bytes && stated >= bytes * 0.7, bytes + " stated as " + stated);
        }
        assertEquals(
                8 << 20,
                PaddedData.receiveBufferBytes(PaddedData.receiveBuffer(Integer.MAX_VALUE))
                        .orElseThrow());
    }

    @Test
    void extensions_areIndependentOfTheBufferSize() {
        int all = limits(8 << 20).offers();
        assertEquals(
                PaddedData.SELECTIVE_REPEAT | PaddedData.CONGESTION_CONTROL,
                PaddedData.common(all, limits(300_000).offers()));
        assertEquals(PaddedData.NONE, PaddedData.common(all, PaddedData.receiveBuffer(8 << 20)));
    }

    @Test
    void window_followsTheSmallerBuffer() {
        int large = limits(4 << 20).windowPackets(MTU);
        int small = limits(208 * 1024).windowPackets(MTU);
        assertTrue(small < large / 8, small + " and " + large);
        int toSmallPeer = limits(4 << 20).windowPackets(MTU, limits(208 * 1024).offers());
        assertTrue(toSmallPeer <= small && toSmallPeer >= small * 0.7, toSmallPeer + " instead of " + small);
        assertEquals(
                small, limits(208 * 1024).windowPackets(MTU, limits(4 << 20).offers()));
        assertEquals(large, limits(4 << 20).windowPackets(MTU, PaddedData.NONE), "the peer states nothing");
    }
}
