package io.verbena.proofs.spark.shuffle;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Running;
import io.verbena.proofs.SparkDriver;
import io.verbena.spark.VerbenaShuffleManager;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Starts a driver of Spark that runs one of the {@link Jobs}; the driver starts a master, two workers and two executors. */
final class Driver {

    private static final String EXECUTOR_OPTIONS = "-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED";

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
        all.addAll(over(carrier));
        return start(job, number, all);
    }

    /** Starts the {@link Queries} with plain Spark, or over a provider if it is not {@link Carrier#PLAIN}. */
    Running queries(Carrier carrier, int sales) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(String.valueOf(sales), EXECUTOR_OPTIONS));
        if (carrier != Carrier.PLAIN) {
            arguments.addAll(over(carrier));
        }
        return SparkDriver.start(Carrier.PLAIN, directory, Queries.class, arguments.toArray(String[]::new));
    }

    private static List<String> over(Carrier carrier) {
        return List.of(
                "spark.shuffle.manager=" + VerbenaShuffleManager.class.getName(),
                "spark.verbena.provider=" + carrier.name().toLowerCase(Locale.ROOT));
    }

    private Running start(String job, int number, List<String> settings) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(job, String.valueOf(number), EXECUTOR_OPTIONS));
        arguments.addAll(settings);
        return SparkDriver.start(Carrier.PLAIN, directory, Jobs.class, arguments.toArray(String[]::new));
    }
}
