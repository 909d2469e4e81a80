package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rank 0 reports the death of rank 2, to which rank 1 is connected as well, before rank 1 has noticed it. */
class ReportedDeathTest {

    private static final int WORD = 8;

    private VirtualRanks ranks;

    @BeforeEach
    void allConnected() throws IOException {
        ranks = new VirtualRanks(new World(1), 3, RnicOptions.defaults(), MessagingOptions.defaults());
        exchange(0, 1);
        exchange(0, 2);
        exchange(1, 2);
    }

    @AfterEach
    void close() {
        ranks.close();
    }

    private MessageRequest send(int from, int to) {
        return ranks.send(from, to, Payloads.segment(WORD, 1), WORD, 1);
    }

    private MessageRequest receive(int at, int from) {
        return ranks.receive(at, from, Payloads.segment(WORD, 0), 1);
    }

    private void exchange(int from, int to) {
        MessageRequest receive = receive(to, from);
        send(from, to);
        ranks.until(receive::done);
    }

    private void reportDeath() {
        Objects.requireNonNull(ranks.rank(0).peer(2).channel).fail("a test ends it");
        ranks.until(() -> ranks.rank(1).failures().died().equals(List.of(2)));
    }

    @Test
    void reporterLeaves_operationsWithIt_failAndNameTheDead() {
        ranks.silence(2);
        reportDeath();
        MessageRequest receive = receive(1, 0);
        ranks.rank(0).members().sayFarewell();
        ranks.until(() -> ranks.rank(1).peer(0).saidFarewell);
        ranks.kill(0);
        ranks.until(receive::done);

        RankFailedException failure = assertThrows(RankFailedException.class, receive::check);
        assertEquals(List.of(2), failure.ranks());
    }

    @Test
    void reportedRank_messagesThatItHasSent_areReceived() {
        reportDeath();
        MessageRequest receive = receive(1, 2);
        MessageRequest any = receive(1, Communicator.ANY_SOURCE);
        assertFalse(receive.done());
        send(2, 1);
        send(2, 1);
        ranks.until(any::done);
        assertTrue(receive.done());
        assertEquals("", receive.failure() + any.failure());
    }

    @Test
    void reportedRank_connectionEnds_receivesFail() {
        reportDeath();
        MessageRequest receive = receive(1, 2);
        MessageRequest any = receive(1, Communicator.ANY_SOURCE);
        ranks.kill(2);
        ranks.until(any::done);
        assertThrows(RankFailedException.class, receive::check);
        assertThrows(RankFailedException.class, any::check);
    }
}
