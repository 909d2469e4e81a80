package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every command that the help shows has a manual page with all its options, and is completed by the shell. */
class ManualsCommandTest {

    /** What a line of a page may begin with. */
    private static final Set<String> MACROS = Set.of(".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi");

    @TempDir
    private Path folder = Path.of(".");

    @BeforeEach
    void write() {
        CliRun run = CliRun.of("manuals", "--completion", completion().toString(), "--man", folder.toString());
        assertEquals(0, run.code(), run.err());
    }

    private Path completion() {
        return folder.resolve("completion");
    }

    private static Stream<CommandSpec> shown(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        return spec.usageMessage().hidden()
                ? Stream.empty()
                : Stream.concat(
                        Stream.of(spec),
                        command.getSubcommands().values().stream().flatMap(ManualsCommandTest::shown));
    }

    private static List<CommandSpec> commands() {
        return shown(Verbena.commandLine(Terminal.system(), new StopSignal())).toList();
    }

    @Test
    void everyCommand_hasAPage_andNoOther() throws IOException {
        Set<String> expected = commands().stream()
                .map(each -> each.qualifiedName("-") + ".1")
                .collect(Collectors.toCollection(TreeSet::new));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    expected,
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".1"))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void everyOption_isOnItsPage() throws IOException {
        for (CommandSpec each : commands()) {
            String page = Files.readString(folder.resolve(each.qualifiedName("-") + ".1"));
            for (OptionSpec option : each.options()) {
                String name = option.longestName().replace("-", "\\-");
                assertTrue(option.hidden() || page.contains(name), each.name() + " " + option.longestName());
            }
        }
    }

    @Test
    void everyLine_isTextOrAKnownMacro() throws IOException {
        for (CommandSpec each : commands()) {
            for (String line : Files.readAllLines(folder.resolve(each.qualifiedName("-") + ".1"))) {
                boolean control = line.startsWith(".") || line.startsWith("'");
                assertTrue(!control || MACROS.contains(line.split(" ", 2)[0]), each.name() + ": " + line);
            }
        }
    }

    @Test
    void everyCommand_isCompleted() throws IOException {
        String script = Files.readString(completion());
        for (CommandSpec each : commands()) {
            assertTrue(script.contains("_picocli_" + each.qualifiedName("_").replaceAll("\\W", "")), each.name());
        }
    }
}
