package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricBenchCommandTest {

    private static String[] bench(String... more) {
        String[] arguments = {"fabric", "bench", "--side", "8", "--hops", "1000"};
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }

    @Test
    void bench_alone_comparesWithNothing() {
        CliRun run = CliRun.of(bench());
        assertEquals(0, run.code(), run.err());
        assertFalse(run.out().contains("BookSim"), run.out());
        assertFalse(CliRun.of(bench("--json")).out().contains("BookSim"));
    }

    @Test
    void bench_withAProgramBesideIt_comparesWithItsFigures(@TempDir Path directory) throws IOException {
        Path program = directory.resolve("booksim");
        Files.writeString(program, """
                #!/bin/sh
                grep -q 'injection_rate = 0.4' "$1" || exit 1
                echo 'Time taken is 1000 cycles'
                echo 'Accepted flit rate average = 0.4 (1 samples)'
                echo 'Hops average = 6.25 (1 samples)'
                """);
        assertTrue(program.toFile().setExecutable(true));
        CliRun run = CliRun.of(bench("--booksim", program.toString()));
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("BookSim2 in the same run"), run.out());
        CliRun silent = CliRun.of(bench("--booksim", "/bin/true"));
        assertEquals(1, silent.code(), silent.out());
        assertTrue(silent.err().contains("BookSim2 did not print"), silent.err());
    }

    @Test
    void lanes_isochronousAndWeighed_canBeNamed() {
        CliRun run = CliRun.of(
                "fabric",
                "run",
                "leaf-spine:2x2",
                "--lanes",
                "3",
                "--isochronous",
                "1:8/2us",
                "--arbitration",
                "high:0:4,low:2:2",
                "--time",
                "2",
                "-q");
        assertEquals(0, run.code(), run.err());
        CliRun wrong = CliRun.of("fabric", "run", "leaf-spine:2x2", "--isochronous", "1:8/2us");
        assertEquals(2, wrong.code(), wrong.err());
        assertTrue(wrong.err().contains("names lane 1; the links have lanes 0 to 0"), wrong.err());
    }

    @Test
    void largeSwitch_ofACopiedSubnet_carriesTraffic(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("subnet.txt");
        Files.writeString(file, """
                Switch\t254 "S-0000000000200001"\t\t# "s" base port 0 lid 3 lmc 0
                [100]\t"H-0000000000100001"[1](100002) \t\t# "a" lid 1 4x???
                [254]\t"H-0000000000100003"[1](100004) \t\t# "b" lid 2 4x???
                Ca\t1 "H-0000000000100001"\t\t# "a"
                [1](100002) \t"S-0000000000200001"[100]\t\t# lid 1 lmc 0 "s" lid 3 4x???
                Ca\t1 "H-0000000000100003"\t\t# "b"
                [1](100004) \t"S-0000000000200001"[254]\t\t# lid 2 lmc 0 "s" lid 3 4x???
                """);
        for (String command : new String[] {"run", "show", "verbs", "routes"}) {
            CliRun run = CliRun.of("fabric", command, file.toString());
            assertEquals(0, run.code(), command + ": " + run.err());
            assertTrue(run.err().contains("Warning: Line 2: port 100 of 's' has the unknown rate 4x???"), run.err());
        }
    }
}
