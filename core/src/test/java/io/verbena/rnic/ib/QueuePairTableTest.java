package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.ConnectionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The table of queue pair phases; {@code -Dverbena.update=true} writes its diagram to the document. */
class QueuePairTableTest {

    private static final Path DOCUMENT = Path.of("../docs/infiniband.md");
    private static final String BEGIN = "<!-- generated: qp -->\n";
    private static final String END = "<!-- end: qp -->";

    @Test
    void document_hasTheDiagramOfTheTable() throws IOException {
        String document = Files.readString(DOCUMENT);
        int from = document.indexOf(BEGIN) + BEGIN.length();
        String refreshed = document.substring(0, from)
                + "```mermaid\nstateDiagram-v2\n"
                + QueuePairTable.TABLE.mermaid("Queue pair and its connection", "Qp", "Q_") + "```\n"
                + document.substring(document.indexOf(END));
        if (Boolean.getBoolean("verbena.update")) {
            Files.writeString(DOCUMENT, refreshed);
        }
        assertEquals(refreshed, Files.readString(DOCUMENT));
    }

    @Test
    void everyPhase_canBeAborted() {
        for (QueuePairPhase phase : QueuePairPhase.values()) {
            assertFalse(QueuePairTable.TABLE.answer(phase, QueuePairEvent.ABORT) instanceof Answer.Never, phase.name());
        }
    }

    @Test
    void everyEventOfTheApplication_hasAnAnswerInEveryPhase() {
        for (QueuePairPhase phase : QueuePairPhase.values()) {
            for (QueuePairEvent event : QueuePairEvent.values()) {
                boolean application =
                        event.ordinal() <= QueuePairEvent.TO_RESET.ordinal() || event == QueuePairEvent.DISCONNECT;
                boolean never = QueuePairTable.TABLE.answer(phase, event) instanceof Answer.Never;
                assertTrue(!application || !never, event + " in " + phase);
            }
        }
    }

    @Test
    void endedConnection_isLeftOnlyByReset() {
        for (QueuePairPhase phase : QueuePairPhase.values()) {
            boolean error = phase == QueuePairPhase.CLOSED || phase == QueuePairPhase.FAILED;
            for (QueuePairEvent event : QueuePairEvent.values()) {
                if (error && QueuePairTable.TABLE.moves(phase, event) && event != QueuePairEvent.TO_RESET) {
                    assertEquals(
                            ConnectionState.FAILED,
                            QueuePairTable.TABLE.next(phase, event).connection());
                }
            }
        }
    }
}
