package io.verbena.proofs;

import io.verbena.sockets.agent.AgentJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A JVM to start: the main class of an unmodified program, its options, and what carries its connections. Its class path is that of
 * the test.
 */
public final class Program {

    private final Carrier carrier;
    private final Path directory;
    private final List<String> options = new ArrayList<>();

    /**
     * A JVM.
     *
     * @param directory its working directory, which has its output, too
     */
    public Program(Carrier carrier, Path directory) {
        this.carrier = carrier;
        this.directory = directory;
    }

    /** Adds options of the JVM. */
    public Program with(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    /** Adds the agent, which carries sockets of java.net and copies of Netty, too; not over the provider of the JDK. */
    public Program withAgent() throws IOException {
        return carrier == Carrier.PLAIN ? this : with("-javaagent:" + AgentJar.make(_ -> {}));
    }

    /** The class path of the test, with absolute paths: programs pass it on to processes in other directories. */
    public static String classPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> absolute = new ArrayList<>();
        for (String each : all.split(System.getProperty("path.separator"))) {
            absolute.add(Path.of(each).toAbsolutePath().toString());
        }
        return String.join(System.getProperty("path.separator"), absolute);
    }

    /** Starts the main class. */
    public Running start(String main, String... arguments) throws IOException {
        return start(Map.of(), main, arguments);
    }

    /** Starts the main class with variables in its environment. */
    public Running start(Map<String, String> environment, String main, String... arguments) throws IOException {
        Files.createDirectories(directory);
        String name = main.substring(main.lastIndexOf('.') + 1).replace('$', '-');
        Path witness = Files.createTempFile(directory, name + "-", ".witness");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+UseSerialGC");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(carrier.jvmOptions());
        command.addAll(options);
        command.add("-D" + Witness.FILE + "=" + witness);
        command.addAll(List.of("-cp", classPath(), Witness.class.getName(), main));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        return new Running(name, builder.start(), witness);
    }
}
