package io.verbena.tools.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChannelsCommandTest {

    @Test
    void fewChannels_json_smallUnder16KiBAndLargeAbove256KiB(@TempDir Path folder) throws Exception {
        Path picture = folder.resolve("memory.svg");
        CliRun run = CliRun.of("channels", "-n", "20", "--json", "--svg", picture.toString(), "--quiet");
        assertEquals(0, run.code(), run.err());
        assertTrue(bytes(run.out(), "control and small data only") < 16 << 10, run.out());
        assertTrue(bytes(run.out(), "enlarged once, then idle") < 16 << 10, run.out());
        assertTrue(bytes(run.out(), "without enlargement") >= 256 << 10, run.out());
        assertTrue(Files.readString(picture).contains("<svg"), "a picture");
    }

    private static long bytes(String json, String name) {
        Matcher found =
                Pattern.compile("\"name\":\"" + name + "\",\"bytes\":(\\d+)").matcher(json);
        assertTrue(found.find(), json);
        return Long.parseLong(found.group(1));
    }

    @Test
    void table_forPeople_namesTheOtherDesigns() {
        CliRun run = CliRun.of("channels", "-n", "3", "--mix", "8:1,12k:1");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("MVAPICH2") && run.out().contains("KiB"), run.out());
    }

    @Test
    void help_namesAPhaseOnce() {
        String help = CliRun.of("channels", "--help").out();
        assertTrue(help.contains("--phases=BYTES[,BYTES...]"), help);
    }

    @Test
    void mixLargerThanThePhases_isAUsageProblem() {
        assertEquals(2, CliRun.of("channels", "--mix", "100k:1").code());
        assertEquals(2, CliRun.of("channels", "--mix", "x").code());
        assertEquals(2, CliRun.of("channels", "--phases", "700,600").code());
    }
}
