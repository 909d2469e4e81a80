package io.verbena.sockets.protocol;

import static io.verbena.sockets.protocol.EnginePair.read;
import static io.verbena.sockets.protocol.EnginePair.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When credits are granted: together with data where there are some. */
class CreditsTest {

    /** A program that answers each request sends its credits together with an answer, and none alone. */
    @Test
    void requestsAndAnswers_creditsLeaveWithData() {
        StreamSettings settings = new StreamSettings(24, 32, 1 << 18, 1 << 18, true, false);
        EnginePair pair = new EnginePair(settings, settings).connect();
        pair.settle();
        int alone = 0;
        int together = 0;
        for (int i = 0; i < 300; i++) {
            write(pair.client, "request");
            int posted = pair.server.posted;
            pair.settle();
            alone += pair.server.posted - posted;
            assertEquals("request", read(pair.server));
            write(pair.server, "answer");
            posted = pair.server.posted;
            pair.settle();
            together += pair.server.posted - posted - 1;
            assertEquals("answer", read(pair.client));
        }
        assertEquals(1, alone, "the message that announces larger receives");
        assertTrue(together >= 300 / 24 && together <= 300 / 4, together + " grants");
    }

    /** In one direction no data leave that could take them along. */
    @Test
    void oneDirection_creditsLeaveAlone_beforeThePeerHasNone() {
        StreamSettings settings = new StreamSettings(24, 32, 1 << 18, 1 << 18, true, false);
        EnginePair pair = new EnginePair(settings, settings).connect();
        for (int i = 0; i < 300; i++) {
            assertEquals(4, write(pair.client, "data"));
            pair.settle();
            assertTrue(pair.client.engine.credits() > 0);
            assertEquals("data", read(pair.server));
        }
    }
}
