package io.verbena.proofs.spark;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.proofs.Testimony;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A driver, a master, two workers and two executors, and a sort whose shuffle moves most records to another executor. */
class SparkProofTest {

    private static final int RECORDS = 600_000;

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

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void sortWithAShuffle_hasEveryRecordInOrder(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running driver = driver(carrier, directory, Scale.of(RECORDS))) {
            List<String> output = driver.awaitSuccess();
            // Half of the records are read from the other executor, and the random half of a value cannot be
            // compressed.
            Testimony.of(output.stream()
                            .filter(line -> line.startsWith(Sort.TOTALS))
                            .map(line -> line.substring(Sort.TOTALS.length()))
                            .toList())
                    .requireCarriedBy(carrier, 2, (long) Scale.of(RECORDS) * Sort.BYTES / 2);
            driver.testimony().requireCarriedBy(carrier, 2, 10_000);
        }
    }

    /** Starts the driver, which starts everything else. */
    static Running driver(Carrier carrier, Path directory, int records) throws Exception {
        List<String> options = new ArrayList<>();
        OPENED.forEach(each -> options.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
        options.add("--add-modules=jdk.incubator.vector");
        options.add("--sun-misc-unsafe-memory-access=allow");
        options.add("-Xmx1g");
        Map<String, String> environment = Map.of(
                "SPARK_HOME", home().toString(),
                "SPARK_SCALA_VERSION", "2.13",
                "SPARK_LOCAL_IP", "127.0.0.1");
        String executors = String.join(" ", carrier.jvmOptions()) + " --enable-native-access=ALL-UNNAMED";
        return new Program(carrier, directory)
                .with(options.toArray(String[]::new))
                .start(environment, Sort.class.getName(), String.valueOf(records), executors);
    }

    /** The directory in which Spark looks for its jars: links to those of the class path, among the files of the build. */
    private static Path home() throws Exception {
        Path classes = Path.of(SparkProofTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
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
