package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveLinesTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final LiveLines live = new LiveLines(new PrintStream(bytes, true, StandardCharsets.UTF_8), () -> 10);

    @Test
    void lines_drawnAgain_replaceTheOldOnes_andAreCutAtTheWidth() {
        live.draw(List.of("one", "two"));
        live.draw(List.of("a line that is too long"));
        live.clear();
        live.clear();
        assertEquals(
                "one\ntwo\n\u001b[2A\r\u001b[Ja line th\n\u001b[1A\r\u001b[J", bytes.toString(StandardCharsets.UTF_8));
    }
}
