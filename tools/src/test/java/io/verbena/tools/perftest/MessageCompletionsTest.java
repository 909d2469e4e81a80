package io.verbena.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.tools.base.Failure;
import org.junit.jupiter.api.Test;

class MessageCompletionsTest {

    private int taken;

    /** S is the completion of a Send, R that of a receive. */
    private MessageCompletions completions(String order) {
        return new MessageCompletions(() -> {
            if (taken == order.length()) {
                throw new Failure("no more completions");
            }
            return order.charAt(taken++) == 'R';
        });
    }

    @Test
    void nextMessageIsReceived_beforeTheSendCompletes_bothCount() throws Failure {
        MessageCompletions completions = completions("RS");
        completions.awaitSent();
        completions.awaitReceived();
        assertEquals(2, taken);
    }

    @Test
    void sendCompletes_beforeAMessageIsReceived_bothCount() throws Failure {
        MessageCompletions completions = completions("SR");
        completions.awaitReceived();
        completions.awaitSent();
        assertEquals(2, taken);
    }

    @Test
    void completionThatWasAwaited_doesNotCountAgain() throws Failure {
        MessageCompletions completions = completions("SR");
        completions.awaitSent();
        assertThrows(Failure.class, completions::awaitSent);
        completions.awaitReceived();
    }
}
