package io.verbena.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.text.JsonText;
import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Figures as JSON and as text for Prometheus. */
class FiguresTextTest {

    @Test
    void json_groupsNumbersByFigure() {
        Figures figures = Figures.of("queue_pair")
                .identity("number", "0x1")
                .value(RnicFigures.IO, "transmit", 1)
                .value(RnicFigures.IO, "receive", 2)
                .value(RnicFigures.ENTRIES, 3)
                .build();
        assertEquals(
                "[{\"subject\":\"queue_pair\",\"identity\":{\"number\":\"0x1\"},\"texts\":{},\"values\":{"
                        + "\"verbena.queue_pair.io\":{\"transmit\":1,\"receive\":2},"
                        + "\"verbena.completion_queue.entries\":{\"\":3}},\"parts\":[]}]",
                FiguresJson.text(List.of(figures)));
    }

    /** As the queues of a queue pair are: limit, posted and outstanding of one, then of the other. */
    @Test
    void json_numbersOfAFigureApart_areOneMember() {
        Figures figures = Figures.of("queue_pair")
                .value(RnicFigures.QUEUE_LIMIT, "send", 1)
                .value(RnicFigures.QUEUE_POSTED, "send", 2)
                .value(RnicFigures.QUEUE_LIMIT, "receive", 3)
                .value(RnicFigures.QUEUE_POSTED, "receive", 4)
                .build();
        String text = FiguresJson.text(List.of(figures));
        assertTrue(
                text.contains("\"values\":{\"verbena.queue_pair.queue.limit\":{\"send\":1,\"receive\":3},"
                        + "\"verbena.queue_pair.queue.posted\":{\"send\":2,\"receive\":4}}"),
                text);
        assertEquals(2, FiguresJson.read(text, RnicFigures.all()).getFirst().number(RnicFigures.QUEUE_POSTED, "send"));
    }

    @Test
    void json_twoMembersOfOneName_isRejected() {
        String text = FiguresJson.text(Samples.process(0)).replace("\"texts\"", "\"identity\"");
        assertThrows(IllegalArgumentException.class, () -> FiguresJson.read(text, RnicFigures.all()));
    }

    @Test
    void json_ofHostileText_hasNoCharacterWithAMeaning() {
        StringBuilder out = new StringBuilder();
        JsonText.quote(out, "<&>\"\\\u2028\n");
        assertEquals("\"\\u003c\\u0026\\u003e\\\"\\\\\\u2028\\n\"", out.toString());
    }

    @Test
    void json_readAgain_isTheSame() {
        List<Figures> figures = Samples.process(3);
        assertEquals(figures, FiguresJson.read(FiguresJson.text(figures), RnicFigures.all()));
    }

    @Test
    void json_ofALaterVersion_isReadWithoutItsNewFigures() {
        List<Figures> figures = Samples.process(1);
        List<Figures> read = FiguresJson.read(FiguresJson.text(figures), List.of(RnicFigures.REGIONS));
        Figures rnic = read.getFirst().parts("rnic").getFirst();
        assertEquals(3, rnic.number(RnicFigures.REGIONS));
        assertEquals(List.of(), rnic.parts("queue_pair").getFirst().values());
    }

    @Test
    void json_cutOrChangedAnywhere_isRejectedOrRead() {
        String text = FiguresJson.text(Samples.process(1));
        for (int i = 0; i < text.length(); i++) {
            String cut = text.substring(0, i);
            assertThrows(IllegalArgumentException.class, () -> FiguresJson.read(cut, RnicFigures.all()));
            for (char c : "\"{}[],:\\9z".toCharArray()) {
                readOrReject(cut + c + text.substring(i + 1));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> FiguresJson.read("[".repeat(100_000), List.of()));
    }

    private static void readOrReject(String text) {
        try {
            FiguresJson.read(text, RnicFigures.all());
        } catch (IllegalArgumentException e) {
            assertFalse(String.valueOf(e.getMessage()).isEmpty());
        }
    }

    @Test
    void prometheus_namesFollowFromNameUnitAndKind() {
        String text = PrometheusText.of(Samples.process(1), false);
        String pid = String.valueOf(ProcessHandle.current().pid());
        String labels = "process_pid=\"" + pid + "\",rnic_number=\"1\"";
        assertTrue(text.contains("# TYPE verbena_queue_pair_io_bytes_total counter\n"), text);
        assertTrue(
                text.contains("verbena_queue_pair_io_bytes_total{" + labels
                        + ",queue_pair_number=\"0x000000\",direction=\"transmit\"} 4096\n"),
                text);
        assertTrue(text.contains("verbena_engine_busy_seconds_total{" + labels + ",engine_number=\"0\"} 1.5\n"), text);
        assertTrue(text.contains("verbena_memory_regions{" + labels + "} 3\n"), text);
        assertFalse(text.contains("# UNIT"), text);
        assertFalse(text.contains("event"), text);
    }

    @Test
    void openMetrics_hasUnitsAndAnEnd() {
        String text = PrometheusText.of(Samples.process(1), true);
        assertTrue(text.contains("# TYPE verbena_queue_pair_io_bytes counter\n"), text);
        assertTrue(text.contains("# UNIT verbena_queue_pair_io_bytes bytes\n"), text);
        assertTrue(text.endsWith("# EOF\n"), text);
    }

    @Test
    void prometheus_hostileText_isOneLineAndEscaped() {
        String text = PrometheusText.of(Samples.process(1), false);
        assertTrue(text.contains("peer=\"<script>alert(\\\"1\\\")</script>\\\\\\n}\""), text);
        text.lines().forEach(line -> assertTrue(line.startsWith("#") || line.startsWith("verbena_"), line));
    }

    @Test
    void prometheus_eachFamily_isDescribedOnceAndItsSamplesAreTogether() {
        Set<String> described = new HashSet<>();
        String family = "";
        for (String line : PrometheusText.of(Samples.process(3), false).lines().toList()) {
            if (line.startsWith("# HELP ")) {
                family = line.split(" ")[2];
                assertTrue(described.add(family), line);
            } else if (!line.startsWith("#")) {
                assertTrue(line.startsWith(family + '{'), line);
            }
        }
    }

    @Test
    void everyDefinition_hasAMetricName() {
        Figures.Builder all = Figures.of("rnic");
        RnicFigures.all().forEach(each -> all.value(each, each.attribute().isEmpty() ? "" : "x", 1));
        String text = PrometheusText.of(List.of(all.build()), true);
        assertEquals(
                RnicFigures.all().size(),
                text.lines().filter(line -> line.startsWith("# TYPE")).count());
    }
}
