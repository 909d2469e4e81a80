package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.bench.side.Row.Candidate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final Samples SAMPLES = OutcomeTest.samples(
            "sample ours 2", "sample theirs 1", "sample ours 4", "sample theirs 1", "sample share 0.031", "done");

    private static Report report() {
        Row ratio = new Row(
                "write_bw",
                "NIO",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atLeast(3),
                List.of(new Candidate("x", "INLINE", "ours", "theirs")));
        Row share = new Row(
                "shares",
                "mean",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atMost(0.1),
                List.of(new Candidate("x", "engine threads", "share", "")));
        Row absent = new Row(
                "put", "jucx", Unit.GIGABYTES_PER_SECOND, Goal.NONE, List.of(new Candidate("y", "INLINE", "a", "b")));
        Map<String, Samples> samples = Map.of("x", SAMPLES, "y", OutcomeTest.samples("absent b no library", "done"));
        List<Outcome> outcomes = List.of(ratio, share, absent).stream()
                .map(row -> Outcome.of(row, samples))
                .toList();
        return new Report("side-by-side", List.of("Two cores."), outcomes, samples);
    }

    @Test
    void markdown_rows_showFiguresGoalAndReason() {
        List<String> lines = report().markdown().lines().toList();
        assertEquals(
                "| write_bw | NIO | 1.00 GB/s | 3.00 GB/s | 3.00 (2.00 to 4.00) ✓ | ≥ 3.0 | INLINE |", lines.get(2));
        assertEquals("| shares | mean |  | | 3.1 % (3.1 % to 3.1 %) ✓ | ≤ 0.10 | engine threads |", lines.get(3));
        assertEquals("| put | jucx | no figures: no library | | |  | |", lines.get(4));
        assertEquals("Two cores.", lines.getLast());
    }

    @Test
    void write_allThreeFiles_areThere(@TempDir Path folder) throws IOException {
        List<Path> written = report().write(folder);
        assertEquals(3, written.size());
        String picture = Files.readString(folder.resolve("side-by-side.svg"));
        assertTrue(picture.contains("write_bw / NIO: 3 (2 to 4), INLINE"), picture);
        String json = Files.readString(folder.resolve("side-by-side.json"));
        assertTrue(json.contains("\"reached\":true"), json);
        assertTrue(json.contains("\"ours\":[\"2.0\",\"4.0\"]"), json);
    }
}
