package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import io.verbena.verbs.RnicProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Each command that opens an RNIC takes {@code --provider ibverbs:DEVICE}, and opens an RNIC of that provider. No machine has the device
 * of the test, so that the command ends with the sentence of the provider.
 */
class ProviderOptionTest {

    private static final String DEVICE = "none0";

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ping @ 127.0.0.1",
                "ping @ --server",
                "demo @",
                "perf @ write_lat",
                "perf @ --server",
                "perftest @ write_bw",
                "perftest @ write_bw 127.0.0.1",
                "pingpong @ rc",
                "pingpong @ rc 127.0.0.1",
                "handlers @",
                "memory @ demo",
                "upgrade @",
                "serve @ --export FILE",
                "cp @ FILE 127.0.0.1:7/x",
                "run -n 2 @ -- Main",
                "disk serve @ FILE",
                "disk discover @ 127.0.0.1",
                "disk read @ 127.0.0.1:4420 --length 1 FILE",
                "disk bench @ 127.0.0.1:4420"
            })
    void command_withADeviceThatIsMissing_endsWithTheSentenceOfTheProvider(String line) throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[4096]);
        String words = line.replace("@", "--provider ibverbs:" + DEVICE).replace("FILE", file.toString());
        CliRun run = CliRun.of(words.split(" "));
        String obstacle = RnicProvider.named("ibverbs").obstacle();
        String sentence = obstacle.isEmpty() ? "There is no RDMA device named '" + DEVICE : obstacle;
        assertEquals(1, run.code(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }

    /** The streams of sockets have TCP connections and ports of the system, which adapters do not take over. */
    @ParameterizedTest
    @ValueSource(strings = {"sockets run @ -- true", "sockets proxy @ --listen rdma:127.0.0.1:0 --to 127.0.0.1:9"})
    void sockets_overAnAdapter_areRefused(String line) {
        CliRun run = CliRun.of(line.replace("@", "--provider ibverbs:" + DEVICE).split(" "));
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().contains("The provider of sockets must be one of"), run.err());
    }

    /** Those that open no RNIC, or only one that is a part of what they show. */
    private static final Set<String> WITHOUT = Set.of(
            "holes", // the TCP of the library
            "sim",
            "connections explain",
            "connections count", // a network in virtual time, and RoCE in software
            "channels", // the cost of many channels in software
            "train", // records the software RNIC for the compiler
            "fabric run",
            "fabric show",
            "fabric explain",
            "fabric verbs",
            "fabric program",
            "fabric bench",
            "fabric serve",
            "fabric routes",
            "net up",
            "net down",
            "net impair", // packets of other programs
            "sockets top",
            "disk add",
            "disk remove",
            "disk resize",
            "disk list", // of a server on this machine, by a file
            "top",
            "web",
            "manuals");

    @Test
    void everyOtherCommand_hasTheOption() {
        Set<String> without = new TreeSet<>();
        collect(Verbena.commandLine(Terminal.system(), new StopSignal()), without);
        assertEquals(new TreeSet<>(WITHOUT), without);
    }

    private static void collect(CommandLine command, Set<String> without) {
        List<CommandLine> below =
                List.copyOf(new LinkedHashSet<>(command.getSubcommands().values()));
        if (below.isEmpty() && command.getCommandSpec().findOption("--provider") == null) {
            without.add(command.getCommandSpec().qualifiedName().replaceFirst("verbena ", ""));
        }
        below.forEach(each -> collect(each, without));
    }
}
