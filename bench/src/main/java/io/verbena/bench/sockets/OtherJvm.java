package io.verbena.bench.sockets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of a measurement. It answers in lines, and an empty line asks for the next answer. */
public final class OtherJvm implements AutoCloseable {

    private final Process process;
    private final BufferedReader from;
    private final PrintWriter to;

    /** Starts a JVM with the class path of this one. */
    public OtherJvm(List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", // as the agent does
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        to = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** The next answer. */
    public String line() throws IOException {
        String line = from.readLine();
        if (line == null) {
            throw new IOException("A JVM of the measurement has ended: see its errors above.");
        }
        return line;
    }

    /** The next answer, which is a number. */
    public int number() throws IOException {
        return Integer.parseInt(line());
    }

    /** Asks for the next answer. */
    public void next() {
        ask("");
    }

    /** Asks something. */
    void ask(String question) {
        to.println(question);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
