package io.verbena.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of a checkout that README, CONTRIBUTING and the pages of docs print, in blocks and within sentences: what each names exists, and
 * {@code dist/bare} has a row for it, which runs it on a bare machine or says why not.
 */
class FirstCommandsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern CODE = Pattern.compile("```[a-z]*\\n(.*?)```|`([^`]+)`", Pattern.DOTALL);
    private static final Pattern SETTINGS = Pattern.compile("^(sudo |[A-Z_]+=\\S+ )+");
    private static final Pattern SCRIPT =
            Pattern.compile("\\./(?:verbena|mvnw)|(?:dist|bench|proofs|interop|stress|web)/[a-z/-]+(?:\\.sh)?");
    private static final Pattern REMARK = Pattern.compile(" {2,}.*| +#.*");
    private static final Pattern OPTION = Pattern.compile("(?<= )--?[a-zA-Z][-a-zA-Z]*");

    /** Options of Maven that stand for a part of the build: what differs between two commands that build differently. */
    private static final Pattern BUILD =
            Pattern.compile("-P[a-z,]+|-pl \\S+|-am|[a-z:-]*(?<= )(verify|test|package|install|spotless:apply)");

    static Stream<String> commands() throws IOException {
        TreeSet<String> commands = new TreeSet<>();
        for (Path document : documents()) {
            CODE.matcher(Files.readString(document)).results().forEach(code -> addTo(commands, code));
        }
        return commands.stream();
    }

    private static void addTo(TreeSet<String> commands, MatchResult code) {
        String block = code.group(1);
        Stream<String> lines = block == null ? Stream.of(code.group(2).replaceAll("\\s+", " ")) : block.lines();
        lines.map(line -> SETTINGS.matcher(REMARK.matcher(line.strip()).replaceFirst(""))
                        .replaceFirst(""))
                .filter(line -> SCRIPT.matcher(line.split(" ")[0]).matches() && !line.contains("/target/"))
                .forEach(commands::add);
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        }
        return documents;
    }

    /** A row of the catalogue of dist/bare: when it runs, and the command. */
    private record Row(String when, String command, String remark) {

        boolean covers(String printed) {
            String own = SETTINGS.matcher(command.replace("$(./verbena java-home)", "JDK"))
                    .replaceFirst("");
            if (own.endsWith("*")) {
                return printed.startsWith(own.substring(0, own.length() - 1).strip());
            }
            if (own.equals(printed)) {
                return true;
            }
            String script = own.split(" ")[0];
            if (!script.equals(printed.split(" ")[0])) {
                return false;
            }
            return script.startsWith("./mvnw")
                    ? build(own).equals(build(printed))
                    : !script.startsWith("./") || own.equals(printed);
        }
    }

    private static List<String> build(String maven) {
        return BUILD.matcher(maven).results().map(MatchResult::group).sorted().toList();
    }

    private static List<Row> rows() throws IOException {
        String script = Files.readString(ROOT.resolve("dist/bare"));
        return script.split("<<'TABLE'\n")[1]
                .split("TABLE\n")[0]
                .lines()
                .map(line -> line.split(" \\|", -1))
                .map(cells -> new Row(cells[0], cells[1].strip(), cells[2].strip()))
                .toList();
    }

    @Test
    void documents_haveCommands() throws IOException {
        assertTrue(commands().count() > 100, () -> "the pattern finds too few");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void command_hasARow(String command) throws IOException {
        assertTrue(
                rows().stream().anyMatch(row -> row.covers(command)),
                () -> "dist/bare has no row for " + command + ": run it there, or state there why not");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void command_namesWhatExists(String command) {
        Path script = ROOT.resolve(command.split(" ")[0]);
        assertTrue(Files.isExecutable(script), () -> script + " is no program");
        if (!command.startsWith("./")) {
            String sources = sources(command);
            List<String> unknown = OPTION.matcher(command.replaceAll("'[^']*'", "X"))
                    .results()
                    .map(MatchResult::group)
                    .filter(option -> !sources.contains(option))
                    .toList();
            assertEquals(List.of(), unknown, () -> script + " has no such option");
        }
    }

    /** The script, and for bench/… the programs that it starts. */
    private static String sources(String command) {
        Path script = ROOT.resolve(command.split(" ")[0]);
        try (Stream<Path> programs = Files.walk(ROOT.resolve("bench/src/main/java"))) {
            StringBuilder text = new StringBuilder(Files.readString(script));
            if (command.startsWith("bench/")) {
                for (Path program : programs.filter(Files::isRegularFile).toList()) {
                    text.append(Files.readString(program));
                }
            }
            // JCStress and JMH bring options of their own.
            return command.startsWith("stress/run") ? text + "-t -m" : text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void mavenCommand_namesModulesProfilesAndTests(String command) throws IOException {
        if (!command.startsWith("./mvnw ")) {
            return;
        }
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        for (MatchResult match :
                Pattern.compile("-pl (\\S+)").matcher(command).results().toList()) {
            assertTrue(Files.exists(ROOT.resolve(match.group(1)).resolve("pom.xml")), match.group());
        }
        for (MatchResult match :
                Pattern.compile("-P(\\S+)").matcher(command).results().toList()) {
            for (String profile : match.group(1).split(",")) {
                assertTrue(pom.contains("<id>" + profile + "</id>"), match.group());
            }
        }
        for (MatchResult match : Pattern.compile("-Dtest='?([A-Z]\\w+)")
                .matcher(command)
                .results()
                .toList()) {
            String file = match.group(1) + ".java";
            String module = command.replaceFirst(".*-pl (\\S+).*", "$1");
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test"))) {
                assertTrue(files.anyMatch(path -> path.endsWith(file)), () -> "no " + file + " in " + module);
            }
        }
    }

    @Test
    void rows_thatAreNotRunAsPrinted_sayWhy() throws IOException {
        for (Row row : rows()) {
            assertTrue(List.of("first", "short", "all", "never").contains(row.when()), row.toString());
            assertTrue(
                    row.when().equals("first")
                            || row.when().equals("short")
                            || !row.remark().isEmpty(),
                    row.toString());
        }
    }
}
