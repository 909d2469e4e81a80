package io.verbena.proofs;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A driver of Spark, which starts a master, workers and executors by itself. */
public final class SparkDriver {

    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "jdk.internal.ref",
            "sun.nio.ch",
            "sun.nio.cs",
            "sun.security.action",
            "sun.util.calendar");

    private SparkDriver() {}

    /** Starts a main class of the tests. */
    public static Running start(Carrier carrier, Path directory, Class<?> main, String... arguments) throws Exception {
        return start(carrier, directory, main, List.of(), main.getName(), arguments);
    }

    /**
     * Starts a main class of others.
     *
     * @param beside a class of the tests, beside whose classes Spark gets its home directory
     * @param more further options of the JVM
     */
    public static Running start(
            Carrier carrier, Path directory, Class<?> beside, List<String> more, String main, String... arguments)
            throws Exception {
        List<String> options = new ArrayList<>();
        OPENED.forEach(each -> options.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
        options.add("--add-modules=jdk.incubator.vector");
        options.add("--sun-misc-unsafe-memory-access=allow");
        options.add("-Xmx1g");
        options.addAll(more);
        Map<String, String> environment = Map.of(
                "SPARK_HOME", home(beside).toString(),
                "SPARK_SCALA_VERSION", "2.13",
                "SPARK_LOCAL_IP", "127.0.0.1");
        return new Program(carrier, directory)
                .with(options.toArray(String[]::new))
                .start(environment, main, arguments);
    }

    /** The directory of the classes that a class is one of. */
    public static Path classesOf(Class<?> one) throws URISyntaxException {
        return Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** The directory in which Spark looks for its jars: links to those of the class path, beside the classes that a class is one of. */
    public static Path home(Class<?> beside) throws Exception {
        Path home = classesOf(beside).resolveSibling("spark");
        Path jars = Files.createDirectories(home.resolve("jars"));
        for (String each : Program.classPath().split(":")) {
            Path link = jars.resolve(Path.of(each).getFileName());
            if (each.endsWith(".jar") && !Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of(each));
            }
        }
        return home;
    }
}
