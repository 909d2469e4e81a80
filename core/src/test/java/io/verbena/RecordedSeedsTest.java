package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An ordinary build has one result: tests draw from recorded seeds. What is random comes from {@link io.verbena.fixture.Seeds}, which runs fresh
 * seeds only on request, and the test has its tag.
 */
@Tag("sources")
class RecordedSeedsTest {

    private static final String SEEDS = "io/verbena/fixture/Seeds.java";

    /** Randomness that no recorded seed decides, and properties that are read in one place. */
    private static final Pattern ELSEWHERE =
            Pattern.compile("new (?:java\\.util\\.)?(?:Splittable)?Random\\(\\)(?! \\{)|new SecureRandom\\("
                    + "|ThreadLocalRandom\\.current|Math\\.random|UUID\\.randomUUID|RandomGenerator\\.(?:getDefault|of)\\b"
                    + "|\"verbena\\.fresh(?:From)?\"");

    /** A clock as a seed. */
    private static final Pattern CLOCK =
            Pattern.compile("\n(?=[^\n]*(?:nanoTime|currentTimeMillis)\\()[^\n]*(?:[sS]eed|Random\\()[^\n]*");

    private static final Pattern USE = Pattern.compile("\\bSeeds\\.(?:each|of|one)\\(");

    /** Sources that may, and why. */
    private static final Map<String, String> ALLOWED = Map.of(
            "sockets/nio/Stage.java", "an address of the loopback network that no other process uses",
            "tools/HandMadePathTest.java", "the same",
            "io/verbena/ArchitectureTest.java", "names of classes that engines must not use",
            "io/verbena/RecordedSeedsTest.java", "the pattern");

    private static List<Path> tests() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : Modules.all()) {
            Path tests = Modules.ROOT.resolve(module).resolve("src/test/java");
            if (Files.isDirectory(tests)) {
                try (Stream<Path> files = Files.walk(tests)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static boolean allowed(Path source) {
        return source.endsWith(SEEDS) || ALLOWED.keySet().stream().anyMatch(source::endsWith);
    }

    @Test
    void randomness_comesFromSeeds() throws IOException {
        TreeSet<String> found = new TreeSet<>();
        for (Path source : tests()) {
            if (!allowed(source)) {
                String text = Files.readString(source);
                Stream.concat(
                                ELSEWHERE.matcher(text).results(),
                                CLOCK.matcher(text).results())
                        .map(each -> Modules.ROOT.relativize(source) + ": "
                                + each.group().strip() + ": take it from fixture.Seeds")
                        .forEach(found::add);
            }
        }
        assertEquals(List.of(), List.copyOf(found));
    }

    @Test
    void testsWithFreshSeeds_haveTheTag() throws IOException {
        TreeSet<String> found = new TreeSet<>();
        int tagged = 0;
        for (Path source : tests()) {
            String text = Files.readString(source);
            if (USE.matcher(text).find() && !text.contains("@Tag(Seeds.TAG)")) {
                found.add(Modules.ROOT.relativize(source) + " uses Seeds without @Tag(Seeds.TAG)");
            }
            tagged += text.contains("@Tag(Seeds.TAG)") ? 1 : 0;
        }
        assertEquals(List.of(), List.copyOf(found));
        assertTrue(tagged > 30, tagged + " tests with fresh seeds");
    }

    @Test
    void everyExceptionExists() throws IOException {
        List<Path> sources = tests();
        for (String each : ALLOWED.keySet()) {
            assertTrue(sources.stream().anyMatch(source -> source.endsWith(each)), each);
        }
    }
}
