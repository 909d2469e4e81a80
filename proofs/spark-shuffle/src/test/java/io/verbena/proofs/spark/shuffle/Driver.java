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
        List<String> arguments = new ArrayList<>(
                List.of(job, String.valueOf(number), "-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED"));
        arguments.addAll(settings);
        return SparkDriver.start(Carrier.PLAIN, directory, Jobs.class, arguments.toArray(String[]::new));
    }
}
