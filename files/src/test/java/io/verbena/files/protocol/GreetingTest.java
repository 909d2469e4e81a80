package io.verbena.files.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The private data by which the ends of a connection identify the protocol. */
class GreetingTest {

    @Test
    void busy_isRecognizedAndKeepsItsSentence() {
        byte[] busy = Greeting.busy("The server is full.");
        assertTrue(Greeting.isBusy(busy));
        assertFalse(Greeting.matches(busy));
        assertEquals("The server is full.", Greeting.refusal(busy));
    }

    @Test
    void otherPrivateData_isNotBusy() {
        byte[] busy = Greeting.busy("");
        assertFalse(Greeting.isBusy(Greeting.bytes()));
        assertFalse(Greeting.isBusy(Greeting.refusal("The server is full.")));
        for (int length = 0; length < busy.length; length++) {
            assertFalse(Greeting.isBusy(Arrays.copyOf(busy, length)));
        }
        assertEquals("No.", Greeting.refusal(Greeting.refusal("No.")));
    }
}
