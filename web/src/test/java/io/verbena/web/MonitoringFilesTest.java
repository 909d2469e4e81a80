package io.verbena.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files for Prometheus and Grafana in docs use metrics and labels that the text of Prometheus has. */
class MonitoringFilesTest {

    private static final Path FOLDER = Path.of("../docs/observing");
    private static final Pattern METRIC = Pattern.compile("\\bverbena_[a-z_]+");
    private static final Pattern LABEL =
            Pattern.compile("(?:\\{\\{ ?(?:\\$labels\\.)?|by \\(|[{,] ?)([a-z_]+)(?: ?}}|\\)|=~?\\\\?\")");

    /** Each figure once, in the objects that have figures. */
    private static String everything() {
        Figures.Builder rnic = Figures.of("rnic").identity("number", 1);
        for (String subject : List.of("engine", "queue_pair", "completion_queue")) {
            rnic.part(
                    Figures.of(subject).identity("number", 1).text("state", "x").build());
        }
        rnic.part(Figures.of("listener").identity("address", "x").build());
        Figures.Builder all = Figures.of("all").text("state", "x");
        for (String subject : List.of(
                "process_pid", "rnic_number", "engine_number", "queue_pair_number", "completion_queue_number")) {
            all.identity(subject, 1);
        }
        all.identity("listener_address", 1);
        RnicFigures.all().forEach(each -> all.value(each, each.attribute().isEmpty() ? "" : "x", 1));
        return PrometheusText.of(List.of(rnic.build(), all.build()), false);
    }

    private static Set<String> matches(Pattern pattern, int group, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yml", "grafana-dashboard.json"})
    void file_namesMetricsThatExist(String name) throws IOException {
        Set<String> used = matches(METRIC, 0, Files.readString(FOLDER.resolve(name)));
        used.removeAll(matches(METRIC, 0, everything()));
        assertEquals(Set.of(), used);
    }

    @ParameterizedTest
    @ValueSource(strings = {"alerts.yml", "grafana-dashboard.json"})
    void file_usesLabelsThatExist(String name) throws IOException {
        Set<String> used = matches(LABEL, 1, Files.readString(FOLDER.resolve(name)));
        assertTrue(used.size() >= 2, used::toString);
        String text = everything().replaceAll("all_(?=[a-z_]+=)", "");
        used.removeIf(label -> text.contains(label + "=\""));
        assertEquals(Set.of(), used);
    }

    @Test
    void prometheus_readsTheAlerts() throws IOException {
        assertTrue(Files.readString(FOLDER.resolve("prometheus.yml")).contains("  - alerts.yml\n"));
    }
}
