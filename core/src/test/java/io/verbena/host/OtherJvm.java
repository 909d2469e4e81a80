package io.verbena.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A program of the tests in a JVM of its own, which starts quickly. Its errors are those of the test. */
final class OtherJvm {

    private OtherJvm() {}

    static Process start(Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
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
}
