package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FabricShowCommandTest {

    @TempDir
    Path directory;

    @Test
    void show_hotRoot_isTheBusiestLink_andThePathIsMarked() throws IOException {
        Path file = directory.resolve("ring.svg");
        CliRun run = CliRun.of(
                "fabric",
                "show",
                "ring:6",
                "--routing",
                "up_down",
                "--load",
                "0.2",
                "--time",
                "5",
                "-q",
                "--path",
                "h0 to h3",
                "--svg",
                file.toString());
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("ring:6\n6 endnodes, 6 switches, 12 links; up/down routes\n"), run.out());
        assertTrue(run.out().matches("(?s).*\nbusiest [^\n]*\n(s-0 > s-[15]|s-[15] > s-0) .*"), run.out());
        assertTrue(run.out().contains("Path: h0 sanic-1 > s-0 > "), run.out());
        String picture = Files.readString(file);
        assertTrue(picture.contains("class=\"path\""), picture);
        assertTrue(picture.contains("<title>s-0 &gt; s-1: "), picture);
    }

    @Test
    void show_json_isOneObject() {
        CliRun run =
                CliRun.of("fabric", "show", "leaf-spine:2x2,hosts=2", "--time", "3", "--busiest", "1", "--json", "-q");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("{\"ok\":true,\"endnodes\":4,\"switches\":4,\"links\":8,"), run.out());
        assertTrue(run.out().matches("(?s).*\"busiest\":\\[\\{\"from\":[^}]*\\}\\],.*"), run.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fat-tree:4",
                "leaf-spine:2x2",
                "mesh:3",
                "mesh:3x3",
                "torus:3x3x3",
                "mesh:2x2x2x2",
                "ring:5",
                "hypercube:4",
                "dragonfly:1x2x1",
                "machine-room",
                "leaf-spine:3x2,hosts=2,sanics=2"
            })
    void show_everyShape_hasAPictureWithAllNodes(String shape) throws IOException {
        Path file = directory.resolve("picture.svg");
        CliRun run = CliRun.of(
                "fabric", "show", shape, "--time", "1", "--load", "0.1", "--json", "-q", "--svg", file.toString());
        assertEquals(0, run.code(), run.err());
        String picture = Files.readString(file);
        long squares =
                picture.lines().filter(line -> line.contains("class=\"n\"")).count();
        assertTrue(run.out().contains("\"switches\":" + squares + ","), run.out());
        assertTrue(picture.lines().noneMatch(line -> line.contains("NaN")), picture);
    }

    @ParameterizedTest
    @CsvSource({
        "fabric-dragonfly.svg, dragonfly:2x4x2 --pattern permutation --load 0.8, ../README.md",
        "fabric-torus.svg, torus:8x8 --routing up_down, ../docs/fabric.md"
    })
    void documentation_showsAFabricWithTraffic(String name, String arguments, String page) throws IOException {
        Path file = directory.resolve(name);
        CliRun run = CliRun.of(("fabric show " + arguments + " -q --svg " + file).split(" "));
        assertEquals(0, run.code(), run.err());
        assertEquals(
                Files.readString(Path.of("../docs/generated").resolve(name)),
                Files.readString(file),
                "write it again: verbena fabric show " + arguments + " --svg docs/generated/" + name);
        assertTrue(Files.readString(Path.of(page)).contains("generated/" + name), page);
    }

    @ParameterizedTest
    @CsvSource({
        "--path, h0",
        "--path, h0 to h99",
        "--path, h0 to s-1",
        "--busiest, 2000",
        "--load, 2",
        "--routing, best"
    })
    void valueOutOfRange_isAWrongArgument(String option, String value) {
        CliRun run = CliRun.of("fabric", "show", "ring:4", option, value);
        assertEquals(ExitCode.USAGE, run.code(), run.out());
        assertTrue(run.err().startsWith("verbena fabric show: "), run.err());
    }
}
