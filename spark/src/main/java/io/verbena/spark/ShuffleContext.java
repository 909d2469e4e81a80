package io.verbena.spark;

import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Rnic;
import org.apache.spark.SparkConf;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import scala.Option;

/**
 * What an executor has for serving and for reading.
 *
 * @param rnic its RNIC
 * @param processor runs its handlers
 * @param settings settings of the user
 * @param figures of this executor
 * @param held the shuffles that were not removed
 * @param files how Spark reads files of blocks
 */
record ShuffleContext(
        Rnic rnic,
        HandlerProcessor processor,
        ShuffleSettings settings,
        ShuffleFigures figures,
        HeldShuffles held,
        TransportConf files) {

    /** With the settings of an application. */
    static ShuffleContext of(SparkConf conf, Rnic rnic, HandlerProcessor processor, ShuffleFigures figures) {
        return new ShuffleContext(
                rnic,
                processor,
                ShuffleSettings.of(conf),
                figures,
                new HeldShuffles(),
                SparkTransportConf.fromSparkConf(conf, "shuffle", 0, Option.empty(), Option.empty()));
    }
}
