package io.verbena.proofs.spark.shuffle;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.spark.VerbenaShuffleManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Starts a driver of Spark that runs one of the {@link Jobs}; the driver starts a master, two workers and two executors. */
final class Driver {

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

    private final Path directory;

    /** Drivers whose working directory is this one. */
    Driver(Path directory) {
        this.directory = directory;
    }

    /** Starts a job over sockets, as Spark does by itself. */
    Running plain(String job, int number, String... settings) throws Exception {
        return start(job, number, List.of(settings));
    }

    /** Starts a job whose reducers read over a provider. */
    Running verbena(Carrier carrier, String job, int number, String... settings) throws Exception {
        List<String> all = new ArrayList<>(Arrays.asList(settings));
        all.add("spark.shuffle.manager=" + VerbenaShuffleManager.class.getName());
        all.add("spark.verbena.provider=" + carrier.name().toLowerCase(Locale.ROOT));
        return start(job, number, all);
    }

    private Running start(String job, int number, List<String> settings) throws Exception {
        List<String> options = new ArrayList<>();
        OPENED.forEach(each -> options.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
        options.add("--add-modules=jdk.incubator.vector");
        options.add("--sun-misc-unsafe-memory-access=allow");
        options.add("-Xmx1g");
        List<String> arguments = new ArrayList<>(
                List.of(job, String.valueOf(number), "-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED"));
        arguments.addAll(settings);
        return new Program(Carrier.PLAIN, directory)
                .with(options.toArray(String[]::new))
                .start(
                        Map.of(
                                "SPARK_HOME", home().toString(),
                                "SPARK_SCALA_VERSION", "2.13",
                                "SPARK_LOCAL_IP", "127.0.0.1"),
                        Jobs.class.getName(),
                        arguments.toArray(String[]::new));
    }

    /** The directory in which Spark looks for its jars: links to those of the class path, among the files of the build. */
    private static Path home() throws Exception {
        Path classes = Path.of(
                Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path home = classes.resolveSibling("spark");
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
