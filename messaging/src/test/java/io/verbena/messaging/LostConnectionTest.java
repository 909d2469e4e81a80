package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.protocol.Contexts;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages whose connection is lost: each receive gets the message that was due, or an error. */
class LostConnectionTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withMaxUnexpectedBytes(150);

    private VirtualRanks ranks;

    @BeforeEach
    void start() throws IOException {
        ranks = new VirtualRanks(new World(1), 2, RnicOptions.defaults(), OPTIONS);
    }

    @AfterEach
    void close() {
        ranks.close();
    }

    private MessageRequest send(int length, int tag) {
        return ranks.send(0, 1, Payloads.segment(length, tag), length, tag);
    }

    private MessageRequest receive(int tag) {
        return ranks.receive(1, 0, Arena.ofAuto().allocate(200_000), tag);
    }

    private boolean arrived(int tag) {
        return ranks.rank(1).probe(0, tag, Contexts.MESSAGES, new Status());
    }

    private static void expect(MessageRequest receive, int length, int tag) {
        assertTrue(receive.done());
        assertEquals("", receive.failure());
        MemorySegment found = receive.buffer.asSlice(0, length);
        assertEquals(-1, found.mismatch(Payloads.segment(length, tag).asSlice(0, length)));
    }

    @Test
    void messagesWithinTheBound_areReceivedAfterTheConnectionWasLost_othersFailOnBothSides() {
        MessageRequest first = send(60, 1);
        ranks.until(first::done);
        MessageRequest second = send(60, 2);
        MessageRequest third = send(60, 3);
        ranks.until(() -> arrived(3));
        assertFalse(second.done(), "it stays at its sender until it is received");
        assertFalse(third.done(), "it stays at its sender until it is received");
        MessageRequest none = receive(9);

        ranks.kill(0);
        ranks.until(none::done);
        assertTrue(none.failure().contains("rank 0"), none.failure());
        expect(receive(1), 60, 1);
        assertFalse(receive(2).failure().isEmpty());
        assertFalse(receive(3).failure().isEmpty());
        assertFalse(receive(1).failure().isEmpty());
    }

    @Test
    void largeMessageThatIsCutOff_failsItsReceiveOnly() {
        send(150_000, 1);
        MessageRequest small = send(60, 2);
        ranks.until(small::done);
        ranks.until(() -> arrived(2));

        ranks.kill(0);
        MessageRequest cut = receive(1);
        ranks.until(cut::done);
        assertTrue(cut.failure().contains("rank 0"), cut.failure());
        expect(receive(2), 60, 2);
    }
}
