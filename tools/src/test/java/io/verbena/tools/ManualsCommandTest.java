package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    /** The words that bash would complete, and what the function of the command answers: words, or that files are offered. */
    private List<String> completed(List<List<String>> lines) throws Exception {
        StringBuilder script = new StringBuilder("source " + completion() + "\ncompopt() { default=$1$2; }\n");
        for (List<String> line : lines) {
            script.append("COMP_WORDS=(verbena ")
                    .append(String.join(" ", line))
                    .append(" ''); COMP_CWORD=")
                    .append(line.size() + 1)
                    .append("; COMPREPLY=(); default=; _complete_verbena; echo \"$default ${COMPREPLY[*]}\"\n");
        }
        Path file = Files.writeString(folder.resolve("ask"), script);
        Process bash = new ProcessBuilder("bash", file.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD) // bash may warn of a missing locale
                .start();
        List<String> answers = bash.inputReader().readAllLines();
        assertEquals(0, bash.waitFor(), answers::toString);
        assertEquals(lines.size(), answers.size());
        return answers;
    }

    private static List<String> line(CommandSpec command, String... more) {
        List<String> words = new ArrayList<>(List.of(command.qualifiedName(" ").split(" ")));
        words.removeFirst();
        words.addAll(List.of(more));
        return words;
    }

    @Test
    void argumentsThatAreFiles_areCompletedWithFiles_andOthersAreNot() throws Exception {
        List<List<String>> lines = new ArrayList<>();
        List<Boolean> files = new ArrayList<>();
        for (CommandSpec each : commands()) {
            if (!each.subcommands().isEmpty()) {
                continue;
            }
            lines.add(line(each));
            files.add(each.positionalParameters().stream().anyMatch(ShellCompletion::file));
            for (OptionSpec option : each.options()) {
                boolean takesWords =
                        option.completionCandidates() != null || option.arity().max() == 0;
                if (!option.hidden() && !takesWords && option.arity().min() > 0) {
                    lines.add(line(each, option.longestName()));
                    files.add(ShellCompletion.file(option) && !option.type().equals(Path.class));
                }
            }
        }
        List<String> answers = completed(lines);
        for (int i = 0; i < lines.size(); i++) {
            boolean provider = lines.get(i).getLast().equals("--provider");
            String answer = answers.get(i);
            assertEquals(files.get(i), answer.equals("-odefault "), lines.get(i) + ": " + answer);
            assertTrue(!provider || answer.contains("iwarp") && answer.contains("roce"), lines.get(i) + ": " + answer);
        }
        assertTrue(files.stream().filter(each -> each).count() > 40, files::toString);
    }
}
