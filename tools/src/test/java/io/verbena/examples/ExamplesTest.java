package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The hello world of the README does what the README says. */
class ExamplesTest {

    private static final int TRIES = 20;

    @Test
    void hello_clientAndServer_greet() throws Exception {
        Process server = java("HelloServer");
        try {
            String problem = "not tried";
            for (int i = 0; i < TRIES && !problem.isEmpty() && server.isAlive(); i++) { // it may not be up yet
                problem = runClient();
            }
            assertEquals("", problem);
            String said = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(said.startsWith("Hello"), said);
            assertEquals(0, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
    }

    private static String runClient() throws Exception {
        Process client = java("HelloClient", "127.0.0.1");
        String error = new String(client.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return client.waitFor() == 0 ? "" : error + ".";
    }

    private static Process java(String example, String... arguments) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String main = "io.verbena.examples." + example;
        List<String> command =
                new ArrayList<>(List.of(java, "-ea", "-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }
}
