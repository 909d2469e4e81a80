package io.verbena.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The files of docs that are no pages, such as a workflow to copy: a test or a script of the build executes or compares each of them, or
 * this class says why not. The commands in the pages are the subject of {@link FirstCommandsTest}.
 */
class DocumentFilesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** By the beginning of the path in docs: what a benchmark has measured, or other documents. */
    private static final Map<String, String> NOT_EXECUTED = Map.of(
            "figures/", "what bench measured on one machine",
            "rfc/", "the documents that the sources cite",
            "pictures/", "pictures of the live view, and what bench has drawn");

    private static final List<String> SCRIPTS = List.of("dist/workflow.sh", "dist/try", "web/browser/run");

    private static List<String> files() throws IOException {
        Path docs = ROOT.resolve("docs");
        try (Stream<Path> all = Files.walk(docs)) {
            return all.filter(file ->
                            Files.isRegularFile(file) && !file.toString().endsWith(".md"))
                    .map(file -> docs.relativize(file).toString())
                    .filter(name -> NOT_EXECUTED.keySet().stream().noneMatch(name::startsWith))
                    .sorted()
                    .toList();
        }
    }

    /** The texts of all tests but this one, and of the scripts. */
    private static String sources() throws IOException {
        List<Path> sources = new ArrayList<>(SCRIPTS.stream().map(ROOT::resolve).toList());
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path tests : modules.map(it -> it.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(tests)) {
                    files.filter(it -> it.toString().endsWith("Test.java") && !it.endsWith("DocumentFilesTest.java"))
                            .forEach(sources::add);
                }
            }
        }
        StringBuilder text = new StringBuilder();
        for (Path source : sources) {
            text.append(Files.readString(source));
        }
        return text.toString();
    }

    @Test
    void docs_haveFiles() throws IOException {
        assertTrue(files().containsAll(List.of("ci-example.yml", "observing/alerts.yml")));
    }

    @Test
    void files_areExecutedOrCompared() throws IOException {
        String sources = sources();
        List<String> forgotten = files().stream()
                .filter(file -> !sources.contains(file.substring(file.lastIndexOf('/') + 1)))
                .toList();
        assertEquals(List.of(), forgotten, () -> "neither a test nor " + SCRIPTS + " names these");
    }
}
