package io.verbena.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A program of the tests in a JVM of its own, which starts quickly. Its errors are those of the test. */
public final class OtherJvm {

    /** The option of a JVM that may call the system. */
    static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private OtherJvm() {}

    static Process start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), List.of(NATIVE_ACCESS), main, arguments);
    }

    /**
     * The same with other circumstances.
     *
     * @param before a command that runs the JVM, such as one that changes the user; empty for none
     * @param options of the JVM
     */
    public static Process start(List<String> before, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(
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

    /** The option that gives or denies native access. */
    public static String nativeAccess(boolean allowed) {
        return allowed ? NATIVE_ACCESS : "--illegal-native-access=deny";
    }
}
