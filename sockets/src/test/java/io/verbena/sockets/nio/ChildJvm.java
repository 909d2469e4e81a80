package io.verbena.sockets.nio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A program of the tests in a JVM of its own, and signals for it. */
final class ChildJvm {

    static final String KILL = "KILL";
    static final String STOP = "STOP";
    static final String CONT = "CONT";

    private ChildJvm() {}

    static Process start(Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("verbena.test.classpath", System.getProperty("java.class.path")),
                main.getName()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static void signal(long process, String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, String.valueOf(process))
                .inheritIO()
                .start()
                .waitFor();
    }
}
