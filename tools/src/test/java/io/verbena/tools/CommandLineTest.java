package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class CommandLineTest {

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @ValueSource(strings = {"info", "ping", "demo", "perf", "sim", "serve", "cp", "channels", "run"})
    void help_ofACommand_teaches(String command) {
        CliRun run = CliRun.of(command, "--help");
        assertEquals(0, run.code());
        assertEquals("", run.err());
        assertTrue(run.out().startsWith("Usage: verbena " + command + " [OPTIONS]"), run.out());
        assertTrue(run.out().contains("Examples:\n  verbena " + command), run.out());
        assertTrue(Pattern.compile("Exit codes:\n +[01]   ").matcher(run.out()).find(), run.out());
        assertTrue(run.out().contains("--debug"), run.out());
        run.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
    }

    /** Also examples, which picocli does not wrap. */
    @Test
    void help_ofEveryCommand_fits80Columns() {
        assertNarrow(Verbena.commandLine(Terminal.system(), new StopSignal()));
    }

    private static void assertNarrow(CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        command.setUsageHelpWidth(80);
        command.getUsageMessage().lines().forEach(line -> assertTrue(line.length() <= 80, name + ": " + line));
        new LinkedHashSet<>(command.getSubcommands().values()).forEach(CommandLineTest::assertNarrow);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "connections explain a:send a:disconnect",
                "connections explain b:vanish",
                "fabric explain",
                "holes --life",
                "memory demo"
            })
    void explanation_fits80Columns(String command) {
        CliRun run = CliRun.onTerminal(80, command.split(" "));
        assertEquals(0, run.code(), run.err());
        run.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
    }

    @ParameterizedTest
    @ValueSource(strings = {"help", "help ping", "help fabric run"})
    void help_asACommand_isTheSame(String words) {
        CliRun run = CliRun.of(words.split(" "));
        assertEquals(0, run.code(), run.err());
        String option = (words + " --help").replaceFirst("help ?", "").strip();
        assertEquals(CliRun.of(option.split(" ")).out(), run.out());
    }

    @Test
    void info_deviceThatIsNotThere_isNoDefault() {
        CliRun run = CliRun.of("info", "--device", "nonsense");
        assertEquals(1, run.code(), run.out());
        assertTrue(run.out().contains("cannot be used"), run.out());
        assertFalse(run.out().contains("the default"), run.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        upgrade --provider roce            | can be converted to iWARP only
        demo --provider roce --tcp udp     | sends over UDP, to which --tcp does not apply
        demo --provider roce --crc         | sends over UDP, to which --crc does not apply
        """)
    void optionOfAnotherTransport_isRefused(String command, String sentence) {
        CliRun run = CliRun.of(command.split(" "));
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals("", run.out());
    }

    @Test
    void help_ofAllOptions_hasADescription() {
        CommandLine root = Verbena.commandLine(Terminal.system(), new StopSignal());
        for (Map.Entry<String, CommandLine> command : root.getSubcommands().entrySet()) {
            for (OptionSpec option : command.getValue().getCommandSpec().options()) {
                assertTrue(
                        option.hidden() || option.description().length > 0,
                        command.getKey() + " " + option.longestName());
            }
        }
    }

    /** A command whose name in the table differs would be found only with all others. */
    @Test
    void commands_areThoseOfTheHelpByTheirNames() {
        CommandLine root = Verbena.commandLine(Terminal.system(), new StopSignal());
        assertEquals(
                List.copyOf(root.getSubcommands().keySet()),
                List.copyOf(
                        Verbena.commands(Terminal.system(), new StopSignal()).keySet()));
    }

    @Test
    void noArguments_showTheCommands_hiddenOnesNot() {
        CliRun run = CliRun.of();
        assertEquals(0, run.code());
        assertTrue(run.out().contains("info  ")
                && run.out().contains("ping  ")
                && run.out().contains("demo  "));
        assertFalse(run.out().contains("demo-peer"));
    }

    @Test
    void version_asked_printed() {
        CliRun run = CliRun.of("--version");
        assertEquals(0, run.code());
        assertTrue(run.out().startsWith("verbena "), run.out());
        assertTrue(run.out().contains("Java " + Runtime.version().feature()), run.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        frob                               | Unknown command: 'frob'.
        pin                                | Unknown command: 'pin'; did you mean 'ping'?
        --frob                             | Unknown option: '--frob'
        info --frob                        | Unknown option: '--frob'.
        demo --dept 3                      | Unknown option: '--dept'; did you mean '--debug' or '--depth' or '--device'?
        info --inline --engine-thread      | either --inline or --engine-thread
        info --inline --engines 2          | --inline has none
        info --engines 0                   | engines must be 1 to 256, not 0
        info --fpdu 63                     | maxFpduPayloadBytes must be 64 to 64750, not 63
        info --fpdu 1x                     | '1x' is not a size
        ping                               | ping needs a HOST, or --server
        ping --server h                    | either --server or a HOST
        ping --server --client             | either --server or --client
        ping h -a h                        | either as HOST or with -a
        ping h g                           | Unmatched argument: 'g'.
        ping --server -I h                 | -I applies to the client
        ping h -p 65536                    | --port must be 1 to 65535, not 65536
        ping h -p 0                        | --port must be 1 to 65535, not 0
        ping h -S 0                        | --size must be 1 byte to 1 GiB, not 0
        ping h -S 2G                       | --size must be 1 byte to 1 GiB
        ping h -C -1                       | --count must be 0 (no limit) or more, not -1
        ping h -C x                        | Invalid value for option '--count': 'x' is not a whole number.
        ping h -p 99999999999              | '99999999999' is not a whole number.
        ping h --revision 3                | --revision must be 1 or 2, not 3
        ping h --timeout x                 | 'x' is not a number
        ping h --timeout 0                 | --timeout must be 0.001 seconds or more, not 0.0
        ping h --timeout NaN               | --timeout must be 0.001 seconds or more
        ping h --interval -1               | --interval must be 0.0 seconds or more, not -1.0
        demo --depth 0                     | --depth must be 1 to 1024, not 0
        demo --piece 0                     | --piece must be 1 byte to 1 GiB, not 0
        demo --connections 65              | --connections must be 1 to 64, not 65
        demo --seconds -1                  | --seconds must be 0.0 seconds or more
        sim --count 0                      | --count must be 1 or more, not 0
        sim --threads 0                    | --threads must be 1 to 1024, not 0
        sim --profile frob                 | expected one of [CALM, TORN, SLOW, CLOSING, KILLED, MISUSE, CORRUPT, HOSTILE]
        demo f --size 1                    | either a FILE or --size
        """)
    void wrongArguments_oneSentenceAndExitCode2(String arguments, String sentence) {
        CliRun run = CliRun.of(arguments.strip().split(" +"));
        assertEquals(2, run.code());
        assertEquals("", run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertTrue(run.err().startsWith("verbena"), run.err());
        assertTrue(run.err().endsWith("--help'.\n"), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }

    @Test
    void demo_missingFile_oneSentenceAndExitCode1() {
        assertFails("There is no file '" + folder + "/none'.", "demo", folder + "/none");
    }

    @Test
    void demo_folder_oneSentenceAndExitCode1() {
        assertFails("'" + folder + "' is a folder; name a file in it.", "demo", folder.toString());
    }

    @Test
    void demo_device_oneSentenceAndExitCode1() {
        assertFails("'/dev/null' is not a regular file and cannot be mapped; copy it to one.", "demo", "/dev/null");
    }

    @Test
    void demo_missingTempFolder_oneSentenceAndExitCode1() {
        assertFails(
                "There is no folder '" + folder + "/none' for temporary files; choose another one with --temp.",
                "demo",
                "--temp",
                folder + "/none");
    }

    @Test
    void demo_moreThanTheDiskHas_oneSentenceAndExitCode1() {
        CliRun run = CliRun.of("demo", "--size", "1000T", "--temp", folder.toString());
        assertEquals(1, run.code());
        assertTrue(run.err().contains("1000.0 TiB are needed"), run.err());
    }

    @Test
    void capture_intoAMissingFolder_oneSentenceAndExitCode1() {
        CliRun run = CliRun.of("ping", "127.0.0.1", "--capture", folder + "/none/x.pcapng");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("there is no folder '" + folder + "/none'."), run.err());
    }

    @Test
    void capture_ontoAFolder_oneSentenceAndExitCode1() {
        CliRun run = CliRun.of("info", "--capture", folder.toString());
        assertEquals(1, run.code());
        assertTrue(run.err().contains("which is a folder: name a file in it."), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--capture-limit 1M | --capture-limit and --capture-snap need --capture FILE",
                "--capture-snap 128 | --capture-limit and --capture-snap need --capture FILE",
                "--capture x --capture-snap 10 | --capture-snap must be 64 to 65536, not 10",
                "--capture x --capture-limit 100 | --capture-limit must be 0 for no limit, or at least 4096, not 100"
            })
    void captureOptions_thatCannotBe_areAUsageError(String options, String sentence) {
        CliRun run = CliRun.of(("info " + options).split(" "));
        assertEquals(2, run.code());
        assertTrue(run.err().contains(sentence), run.err());
    }

    @Test
    void provider_unknown_oneSentenceAndExitCode1() {
        CliRun run = CliRun.of("info", "--provider", "frob");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("No RNIC provider is named 'frob'"), run.err());
        assertEquals(1, run.err().lines().count());
    }

    @Test
    void failure_withJson_isOneObjectThatSaysSo() {
        CliRun run = CliRun.of("demo", "--json", folder + "/none");
        assertEquals(1, run.code());
        assertEquals("{\"ok\":false,\"error\":\"There is no file '" + folder + "/none'.\"}\n", run.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "frob --json",
                "cp --json",
                "cp --json --frob h:1/a b",
                "cp --json a b",
                "serve --json",
                "serve --json -e a --max-connections x",
                "ping --json",
                "perf --json --frob",
                "demo --json --depth x",
                "sim --json --count 0",
                "info --json --frob",
                "memory --json --frob",
                "handlers --json --frob",
                "upgrade --json --frob"
            })
    void wrongArguments_withJson_areAnObjectToo(String arguments) {
        CliRun run = CliRun.of(arguments.split(" "));
        assertEquals(2, run.code());
        assertTrue(run.out().startsWith("{\"ok\":false"), run.out());
        assertTrue(run.out().contains("\"error\":\""), run.out());
        assertTrue(run.out().endsWith("}\n"), run.out());
        assertEquals(1, run.out().lines().count(), run.out());
        assertEquals(1, run.err().lines().count(), run.err());
    }

    @Test
    void jsonAfterTheEndOfOptions_isNoWishForAnObject() {
        assertEquals("", CliRun.of("cp", "--frob", "--", "--json").out());
    }

    @Test
    void failure_withDebug_showsTheTrace() {
        CliRun run = CliRun.of("demo", "--debug", folder + "/none");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("    at io.verbena.tools.demo.DemoSource.of"), run.err());
    }

    @Test
    void ping_unknownHost_oneSentenceAndExitCode1() {
        CliRun run = CliRun.of("ping", "no-such-host.invalid");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("Unknown host 'no-such-host.invalid'"), run.err());
    }

    @Test
    void demo_failing_leavesNoTemporaryFile() throws Exception {
        CliRun.of("demo", "--size", "64k", "--temp", folder.toString(), "--provider", "frob");
        try (var left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }

    private static void assertFails(String sentence, String... arguments) {
        CliRun run = CliRun.of(arguments);
        assertEquals(1, run.code());
        assertEquals("verbena " + arguments[0] + ": " + sentence + "\n", run.err());
        assertEquals("", run.out());
    }

    static List<String> commandsAndNone() {
        return Stream.concat(Stream.of(""), AllCommands.visible().stream()).toList();
    }

    @ParameterizedTest
    @MethodSource("commandsAndNone")
    void help_onANarrowTerminal_fitsIt(String command) {
        CliRun run = CliRun.onTerminal(60, (command + " --help").strip().split(" "));
        assertEquals(0, run.code(), run.err());
        assertEquals(
                List.of(), run.out().lines().filter(line -> line.length() > 60).toList());
    }

    @Test
    void info_onANarrowTerminal_fitsIt() {
        CliRun run = CliRun.onTerminal(60, "info");
        assertEquals(0, run.code(), run.err());
        assertEquals(
                List.of(), run.out().lines().filter(line -> line.length() > 60).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "inof, info",
        "pnig, ping",
        "dmeo, demo",
        "handler, handlers",
        "server, serve",
        "connection, connections"
    })
    void command_mistyped_suggestsTheNearest(String typed, String meant) {
        CliRun run = CliRun.of(typed);
        assertEquals(2, run.code());
        assertTrue(run.err().contains("did you mean '" + meant + "'?"), run.err());
    }

    @Test
    void command_unlikeAnyOther_suggestsNone() {
        CliRun run = CliRun.of("frobnicate");
        assertEquals(2, run.code());
        assertFalse(run.err().contains("did you mean"), run.err());
    }

    @Test
    void memoryDemo_onANarrowTerminal_fitsIt() {
        CliRun run = CliRun.onTerminal(60, "memory", "demo");
        assertEquals(0, run.code(), run.err());
        assertEquals(
                List.of(), run.out().lines().filter(line -> line.length() > 60).toList());
    }
}
