package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

    private static final long STEP_NS = 100_000_000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.US_ASCII);

    @Test
    void line_anyAmount_showsItsShare() {
        ProgressBar bar = new ProgressBar(out, true, "Write", 200);
        assertEquals("Write            [>                             ]   0 %", bar.line(0));
        assertEquals("Write            [===============>              ]  50 %", bar.line(100));
        assertEquals("Write            [==============================] 100 %", bar.line(200));
        assertEquals("Write            [==============================] 100 %", bar.line(5000));
    }

    @Test
    void line_unknownTotal_showsTheAmount() {
        assertEquals("Rounds 12,345", new ProgressBar(out, true, "Rounds", 0).line(12_345));
    }

    @Test
    void update_onATerminal_redrawsTenTimesASecondAtMost() {
        ProgressBar bar = new ProgressBar(out, true, "x", 10);
        bar.update(1, 0);
        bar.update(2, STEP_NS - 1);
        assertFalse(written().contains("20 %"));
        bar.update(3, STEP_NS);
        assertTrue(written().contains("30 %"));
        assertEquals(2, written().chars().filter(c -> c == '\r').count());
    }

    @Test
    void update_withAWord_showsItOnlyWhenItIsDrawn() {
        ProgressBar bar = new ProgressBar(out, true, "x", 10);
        bar.update(1, 0, () -> "7.0/s");
        assertTrue(written().endsWith("]  10 %  7.0/s\u001b[K"), written());
        bar.update(2, 1, () -> {
            throw new AssertionError("it is not time yet");
        });
        new ProgressBar(out, false, "x", 10).update(1, 0, () -> {
            throw new AssertionError("it is not a terminal");
        });
    }

    @Test
    void finish_onATerminal_leavesOnlyTheResult() {
        ProgressBar bar = new ProgressBar(out, true, "x", 10);
        bar.update(5, 0);
        bytes.reset();
        bar.finish("done");
        assertEquals("\r\u001b[Kx: done" + System.lineSeparator(), written());
    }

    @Test
    void anything_notOnATerminal_oneLineAtTheEnd() {
        ProgressBar bar = new ProgressBar(out, false, "x", 10);
        bar.update(1, 0);
        bar.update(10, 10 * STEP_NS);
        bar.clear();
        assertEquals("", written());
        bar.finish("10 in 1 s");
        assertEquals("x: 10 in 1 s" + System.lineSeparator(), written());
    }

    private String written() {
        return bytes.toString(StandardCharsets.US_ASCII);
    }

    @Test
    void bar_onANarrowTerminal_neverFillsTheLastColumn() {
        for (int width = 1; width < 100; width++) {
            int columns = width;
            ByteArrayOutputStream drawn = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(drawn, true, StandardCharsets.US_ASCII);
            ProgressBar bar = new ProgressBar(out, true, "Fetching", 1000, () -> columns);
            bar.update(420, 0, () -> "123.45 MB/s");
            String line =
                    drawn.toString(StandardCharsets.US_ASCII).replace("\r", "").replace("\u001b[K", "");
            assertTrue(line.length() < columns, columns + ": " + line);
            assertTrue(columns < 20 || line.contains(" 42 %"), columns + ": " + line);
            assertTrue(columns < 30 || line.contains("123.45 MB/s"), columns + ": " + line);
            drawn.reset();
            bar.finish("1.0 GiB in 0.512 s, 2.10 GB/s");
            String result = drawn.toString(StandardCharsets.US_ASCII).replace("\r\u001b[K", "");
            assertTrue(columns < 10 || result.lines().allMatch(part -> part.length() <= Math.max(10, columns)), result);
        }
    }
}
