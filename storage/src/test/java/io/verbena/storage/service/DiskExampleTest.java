package io.verbena.storage.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.examples.SparseDisk;
import io.verbena.verbs.Rnic;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of README and docs/storage.md is the program that is compiled here, and it works. */
class DiskExampleTest {
    private static final String NAME = "nqn.2026-01.org.example:sparse";
    private static final int MOST_LINES = 40;

    @Test
    void example_servesBlocks() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dport=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SparseDisk.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = String.valueOf(out.readLine());
            assertTrue(line.startsWith("Listening at "), line);
            int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            try (Rnic rnic = Rnic.open();
                    SmallHost admin = new SmallHost(rnic, address, 0, 32)) {
                assertEquals(0, admin.connect(NAME, 0xffff));
                long controller = admin.result();
                admin.enable();
                try (SmallHost io = new SmallHost(rnic, address, 1, 32)) {
                    assertEquals(0, io.connect(NAME, (int) controller));
                    byte[] block = new byte[4096];
                    Arrays.fill(block, (byte) 7);
                    io.blockBytes(4096);
                    assertEquals(0, io.write(1L << 27, block));
                    assertArrayEquals(block, io.read(1L << 27, 4096));
                    assertArrayEquals(new byte[4096], io.read(5, 4096));
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void example_isInTheDocumentToTheLetter() throws Exception {
        Path root = root();
        String source = Files.readString(root.resolve("storage/src/test/java/io/verbena/examples/SparseDisk.java"));
        String shown = source.substring(source.indexOf("import ")).strip();
        long lines = shown.substring(shown.indexOf("public class "))
                .lines()
                .filter(line -> !line.isBlank())
                .count();
        assertTrue(lines <= MOST_LINES, lines + " lines");
        assertTrue(
                Files.readString(root.resolve("docs/storage.md")).contains(shown),
                "docs/storage.md shows another program: copy the text of the file into it");
    }

    private static Path root() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("mvnw"))) {
                return folder;
            }
        }
        throw new AssertionError("no parent directory of the working directory contains mvnw");
    }
}
