package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The end of a stream in all orders: no answer of a table is "never", the combinations are those that are listed, and
 * each stream ends.
 */
class StreamEndsTest {

    private static final int MOVES = 5;

    @Test
    void everyCell_hasAnAnswer() {
        for (OwnEnd state : OwnEnd.values()) {
            for (OwnEnd.Event event : OwnEnd.Event.values()) {
                assertNotNull(OwnEnd.TABLE.answer(state, event));
            }
        }
        for (PeerEnd state : PeerEnd.values()) {
            for (PeerEnd.Event event : PeerEnd.Event.values()) {
                assertNotNull(PeerEnd.TABLE.answer(state, event));
            }
        }
    }

    @Test
    void everyOrder_endsBothStreams_inTheListedCombinations() throws Exception {
        Set<String> found = new TreeSet<>();
        for (boolean extensions : new boolean[] {true, false}) {
            StreamEndsModel model = new StreamEndsModel(extensions, MOVES);
            model.explore();
            assertTrue(model.states() > 1_000, "only " + model.states() + " states");
            found.addAll(model.combinations());
        }
        Path file = Path.of("..", "docs", "generated", "stream-combinations.txt");
        String text =
                "# Generated from StreamEngine; do not edit. Stream, what this side has reported of its end, and the peer.\n"
                        + String.join("\n", found) + "\n";
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, text);
        }
        assertEquals(text, Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }
}
