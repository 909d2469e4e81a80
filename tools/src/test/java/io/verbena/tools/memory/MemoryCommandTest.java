package io.verbena.tools.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryCommandTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"flat", "shared", "inverted"})
    void demo_walksTheTables_andShowsBothAccesses(String tables) throws IOException {
        Path picture = directory.resolve("walk.svg");
        try (CliRun run = CliRun.of("memory", "demo", "--tables", tables, "--svg", picture.toString())) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            for (String step :
                    List.of("Effective address 0x", "Segment table of ", "Virtual address 0x", "Page table (")) {
                assertTrue(run.out().contains(step), run.out());
            }
            assertFalse(run.out().contains("Fig."), run.out());
            assertTrue(run.out().contains("ALLOWED: \"These bytes have a key of their own.\""), run.out());
            assertTrue(run.out().contains("REFUSED: "), run.out());
        }
        String svg = Files.readString(picture);
        assertTrue(svg.startsWith("<svg") && svg.contains("Page table (") && svg.contains("Refused"), svg);
    }

    /** Keys are random: the two pictures are compared without them. */
    @Test
    void documentation_showsTheWalkOfTheDemo() throws IOException {
        Path picture = directory.resolve("walk.svg");
        try (CliRun run = CliRun.of("memory", "demo", "--svg", picture.toString())) {
            assertEquals(ExitCode.OK, run.code(), run.err());
        }
        String key = "key 0x[0-9a-f]+";
        assertEquals(
                Files.readString(Path.of("../docs/generated/memory-walk.svg")).replaceAll(key, "key"),
                Files.readString(picture).replaceAll(key, "key"),
                "write it again: verbena memory demo --svg docs/generated/memory-walk.svg");
        assertTrue(Files.readString(Path.of("../docs/memory.md")).contains("(generated/memory-walk.svg)"));
    }

    @Test
    void demo_json_isOneObject() {
        try (CliRun run = CliRun.of("memory", "demo", "--json")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertTrue(run.out().startsWith("{\"ok\":true,\"before\":[{\"title\":\"Effective address 0x"), run.out());
            assertEquals(1, run.out().lines().count());
        }
    }

    @Test
    void anythingButDemo_isAWrongArgument() {
        try (CliRun run = CliRun.of("memory", "dump")) {
            assertEquals(ExitCode.USAGE, run.code());
            assertTrue(run.err().contains("memory demo"), run.err());
        }
    }

    @Test
    void shareAndOpen_oneTextInTwoRuns_withKeysOfTheirOwn() throws Exception {
        try (CliRun share = CliRun.start("memory", "share")) {
            share.awaitOut("verbena memory open ");
            String token = share.out().replaceAll("(?s).*memory open (\\p{XDigit}{48}).*", "$1");
            try (CliRun open = CliRun.of("memory", "open", token, "--json")) {
                assertEquals(ExitCode.OK, open.code(), open.err());
                assertTrue(open.out().contains("has ended the offer"), open.out());
                assertEquals(ExitCode.OK, share.code(), share.err());
                assertTrue(share.out().contains("Written by process "), share.out());
                assertTrue(share.out().contains("has unmapped the segment"), share.out());
                assertNotEquals(key(share.out()), key(open.err()));
            }
            try (CliRun again = CliRun.of("memory", "open", token)) {
                assertEquals(ExitCode.FAILED, again.code());
                assertTrue(again.err().contains("the segment cannot be opened: "), again.err());
            }
        }
    }

    private static String key(String output) {
        return output.replaceAll("(?s).*with the key (0x\\p{XDigit}{8})\\..*", "$1");
    }

    @Test
    void shareInterrupted_ends() throws Exception {
        try (CliRun share = CliRun.start("memory", "share", "--json")) {
            share.awaitErr("verbena memory open ");
            share.interrupt();
            assertTrue(share.code() != ExitCode.OK, share.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "xyz", "00112233"})
    void openWithoutAToken_isAWrongArgument(String token) {
        try (CliRun run = CliRun.of("memory", "open", token)) {
            assertEquals(ExitCode.USAGE, run.code());
            assertTrue(run.err().contains("48 hexadecimal digits"), run.err());
        }
    }

    @Test
    void infoMemory_showsTablesResidencyFaultsAndKeys() {
        try (CliRun run = CliRun.of("info", "--memory")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            for (String word : new String[] {"remote keys", "frame pool", "page table", "segment 2", "faults"}) {
                assertTrue(run.out().contains(word), run.out());
            }
        }
    }
}
