package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkOpcode;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class AdapterWithoutImmediateTest {

    @Test
    void operationsWithoutWriteWithImmediate_opened_refusedInOneSentence() {
        EnumSet<WorkOpcode> operations = EnumSet.allOf(WorkOpcode.class);
        assertDoesNotThrow(() -> Endpoint.checkOperations("roce", operations));
        operations.remove(WorkOpcode.WRITE_WITH_IMMEDIATE);
        VerbsException refused =
                assertThrows(VerbsException.class, () -> Endpoint.checkOperations("ibverbs", operations));
        String sentence = String.valueOf(refused.getMessage());
        assertTrue(sentence.contains("'ibverbs'") && sentence.endsWith("."), sentence);
    }
}
