package io.verbena.spark;

import io.verbena.verbs.RnicOptions;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the settings {@code spark.verbena.*} say.
 *
 * @param rnic how the RNIC of an executor is opened
 * @param port the port at which an executor listens; 0 for one that the system chooses
 * @param attempts how often a range is requested before its fetch fails
 * @param pool which outputs are copied to shared regions
 * @param gatheredBytes blocks of this mean length or less are collected by the executor that has them, and read by one Read
 * @param idleBytes memory that a reducer keeps registered between fetches
 */
record ShuffleSettings(RnicOptions rnic, int port, int attempts, Pool pool, int gatheredBytes, long idleBytes) {

    /** Prefix of all settings. */
    static final String PREFIX = "spark.verbena.";

    /** The minor versions of Spark whose internal interfaces this module implements. */
    private static final List<String> SPARK = List.of("4.0", "4.2");

    private static final Logger LOG = LoggerFactory.getLogger(ShuffleSettings.class);

    /**
     * Shared regions for small outputs.
     *
     * @param outputBytes an output of this length or less is copied
     * @param mostBytes length of all shared regions
     */
    record Pool(int outputBytes, long mostBytes) {}

    /** A setting of Spark that this shuffle does not work with, and why. */
    private record Refusal(String key, String reason) {}

    private static final List<Refusal> REFUSED = List.of(
            new Refusal(
                    "spark.shuffle.service.enabled",
                    "map outputs are registered by the executors that wrote them; use"
                            + " spark.dynamicAllocation.shuffleTracking.enabled instead of the external shuffle service"),
            new Refusal("spark.shuffle.push.enabled", "map outputs are read where they were written, and not pushed"),
            new Refusal("spark.shuffle.useOldFetchProtocol", "its block names do not identify map tasks"),
            new Refusal("spark.network.crypto.enabled", "RDMA Reads are not encrypted"),
            new Refusal("spark.authenticate.enableSaslEncryption", "RDMA Reads are not encrypted"),
            new Refusal("spark.ssl.rpc.enabled", "RDMA Reads are not encrypted"));

    private static final String PLUGIN = "spark.shuffle.sort.io.plugin.class";
    private static final String LOCAL_FILES = "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO";

    static ShuffleSettings of(SparkConf conf) {
        RnicOptions rnic = RnicOptions.defaults()
                .withProvider(conf.get(PREFIX + "provider", "auto"))
                .withDevice(conf.get(PREFIX + "device", ""))
                .withEngines(conf.getInt(PREFIX + "engines", 1))
                .withIwarp(iwarp -> iwarp.withDirect(conf.getBoolean(PREFIX + "direct", false)));
        return new ShuffleSettings(
                rnic,
                conf.getInt(PREFIX + "port", 0),
                Math.max(1, conf.getInt(PREFIX + "attempts", 3)),
                new Pool(
                        bounded(conf, "pool.outputBytes", "64k", 1 << 30),
                        conf.getSizeAsBytes(PREFIX + "pool.bytes", "64m")),
                bounded(conf, "gatheredBytes", "4k", 1 << 20),
                conf.getSizeAsBytes("spark.reducer.maxSizeInFlight", "48m"));
    }

    private static int bounded(SparkConf conf, String name, String fallback, int most) {
        long bytes = conf.getSizeAsBytes(PREFIX + name, fallback);
        if (bytes > most) {
            LOG.warn("{}{} is {}, and at most {} is used", PREFIX, name, bytes, most);
        }
        return (int) Math.min(bytes, most);
    }

    /**
     * Refuses other minor versions of Spark: the interfaces of a shuffle are internal to Spark, and differ
     * between them.
     *
     * @throws IllegalArgumentException with a sentence that names both versions
     */
    static void requireVersion(String spark) {
        if (SPARK.stream().noneMatch(each -> spark.startsWith(each + "."))) {
            String versions = String.join(" and ", SPARK);
            throw new IllegalArgumentException(
                    "VerbenaShuffleManager is made for Spark " + versions + ", and this is Spark " + spark
                            + ": remove spark.shuffle.manager, or use Spark " + SPARK.getLast() + ".");
        }
    }

    /**
     * Refuses settings of Spark that would not have their effect.
     *
     * @throws IllegalArgumentException with a sentence that names the setting
     */
    static void requireSupported(SparkConf conf) {
        refusal(conf).ifPresent(sentence -> {
            throw new IllegalArgumentException(sentence);
        });
    }

    private static Optional<String> refusal(SparkConf conf) {
        String plugin = conf.get(PLUGIN, LOCAL_FILES);
        if (!plugin.equals(LOCAL_FILES)) {
            return Optional.of(
                    "VerbenaShuffleManager reads the local files of Spark's own writers and cannot be used with "
                            + PLUGIN + "=" + plugin + ".");
        }
        return REFUSED.stream()
                .filter(each -> conf.getBoolean(each.key(), false))
                .findFirst()
                .map(each ->
                        "VerbenaShuffleManager cannot be used with " + each.key() + "=true: " + each.reason() + ".");
    }
}
