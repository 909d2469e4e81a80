package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import io.verbena.messaging.ScriptedPeer;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SenderState;
import io.verbena.messaging.protocol.SlotLayout;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an endpoint sends to a peer whose acknowledgements a test writes. */
class OutboundScriptTest {

    private ScriptedEndpoint endpoint;
    private ScriptedPeer peer;

    @BeforeEach
    void connect() throws IOException {
        endpoint = new ScriptedEndpoint(ChannelOptions.defaults());
        peer = endpoint.peer;
        peer.until(() -> Pair.settled(endpoint.channel()));
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    /** A ring of the same length as before, but with more and shorter slots: the staging buffer must change its shape, too. */
    @Test
    void refusedWithAnotherShapeOfTheSameLength_stagingHasThatShape() {
        Channel channel = endpoint.channel();
        assertEquals(0, channel.transfer(0, new TransferVector().add(Payloads.segment(5000, 1), 0, 5000)));
        int payload = 344;
        assertEquals(SlotLayout.strideBytes(700), 2 * SlotLayout.strideBytes(payload));
        peer.grant(2, payload, 8, RefusalReason.RECEIVER_BUDGET);
        peer.until(() -> channel.flow(0).send().side().state() == SenderState.SETTLED
                && channel.flow(0).send().side().slots() == 8);
        TransferVector small = new TransferVector();
        for (int i = 0; i < 8; i++) {
            small.add(Payloads.segment(payload, i), 0, payload);
        }
        assertEquals(8, channel.transfer(0, small));
        peer.sync();
        assertTrue(channel.open(), channel.reason());
    }
}
