package io.verbena.proofs.spark;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Adds up gradients of two partitions: in a barrier stage whose tasks are ranks, and by treeAggregate through the
 * driver. Argument: the options of the JVMs of the executors.
 */
final class Gradients implements Serializable {

    /** Begins the line of the output with the medians of both. */
    static final String TIMES = "of an iteration, us: ";

    private static final int DIMENSION = 100_000;
    private static final int ITERATIONS = 20;

    private Gradients() {}

    public static void main(String[] arguments) {
        SparkConf settings = new SparkConf()
                .setMaster("local-cluster[2,1,1024]")
                .setAppName("proof")
                .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .set("spark.executor.extraJavaOptions", arguments[0])
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false");
        try (JavaSparkContext spark = new JavaSparkContext(settings)) {
            JavaRDD<Integer> parts = spark.parallelize(List.of(0, 1), 2);
            double[] aggregated = aggregated(parts);
            for (Trained each : inBarrierStage(parts)) {
                if (!Arrays.equals(aggregated, each.weights)) {
                    throw new AssertionError("a rank has other weights than the driver");
                }
                System.out.println("barrier stage, " + TIMES + each.medianUs);
            }
        }
    }

    /** What a rank has. */
    private record Trained(double[] weights, double medianUs) implements Serializable {}

    private static double gradient(int part, int iteration, int at) {
        return (part + 1) * (at % 100) + iteration;
    }

    // In a barrier stage.

    private static List<Trained> inBarrierStage(JavaRDD<Integer> parts) {
        Function1<Iterator<Integer>, Iterator<Trained>> train =
                (Function1<Iterator<Integer>, Iterator<Trained>> & Serializable) Gradients::train;
        return parts.rdd()
                .barrier()
                .mapPartitions(train, false, ClassTag$.MODULE$.apply(Trained.class))
                .toJavaRDD()
                .collect();
    }

    private static Iterator<Trained> train(Iterator<Integer> part) {
        int number = part.next();
        double[] weights = new double[DIMENSION];
        long[] took = new long[ITERATIONS];
        try (Communicator ranks = of(BarrierTaskContext.get())) {
            MemorySegment gradient = ranks.allocate(DIMENSION * ValueLayout.JAVA_DOUBLE.byteSize());
            for (int i = 0; i < ITERATIONS; i++) {
                for (int at = 0; at < DIMENSION; at++) {
                    gradient.setAtIndex(ValueLayout.JAVA_DOUBLE, at, gradient(number, i, at));
                }
                long startNs = System.nanoTime();
                ranks.collectives()
                        .allreduce(Collectives.IN_PLACE, gradient, ElementType.DOUBLE, PredefinedReduction.SUM);
                took[i] = System.nanoTime() - startNs;
                for (int at = 0; at < DIMENSION; at++) {
                    weights[at] += gradient.getAtIndex(ValueLayout.JAVA_DOUBLE, at);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CollectionConverters.asScala(
                List.of(new Trained(weights, median(took))).iterator());
    }

    private static double median(long[] took) {
        Arrays.sort(took);
        return took[took.length / 2] / 1e3;
    }

    /** The tasks of a barrier stage as ranks: task 0 chooses where they meet, and a secret. */
    private static Communicator of(BarrierTaskContext context) throws IOException {
        int rank = context.partitionId();
        String own = "";
        if (rank == 0) {
            try (ServerSocket socket = new ServerSocket(0)) {
                own = socket.getLocalPort() + " " + HexFormat.of().formatHex(SecureRandom.getSeed(16));
            }
        }
        String[] first = context.allGather(own)[0].split(" ", -1);
        String host = context.getTaskInfos()[0].address().split(":", -1)[0];
        Map<String, String> variables = Map.of(
                "RANK",
                "" + rank,
                "WORLD_SIZE",
                "" + context.getTaskInfos().length,
                "MASTER_ADDR",
                host,
                "MASTER_PORT",
                first[0],
                "VERBENA_SECRET",
                first[1]);
        return Communicator.world(MessagingOptions.defaults(), variables);
    }

    // Through the driver.

    private static double[] aggregated(JavaRDD<Integer> parts) {
        double[] weights = new double[DIMENSION];
        long[] took = new long[ITERATIONS];
        Function2<double[], double[], double[]> add = Gradients::add;
        for (int i = 0; i < ITERATIONS; i++) {
            int iteration = i;
            long startNs = System.nanoTime();
            double[] gradient =
                    parts.treeAggregate(new double[DIMENSION], (sum, part) -> addPart(sum, part, iteration), add, 2);
            took[i] = System.nanoTime() - startNs;
            add(weights, gradient);
        }
        System.out.println("treeAggregate, " + TIMES + median(took));
        return weights;
    }

    private static double[] addPart(double[] sum, int part, int iteration) {
        for (int at = 0; at < DIMENSION; at++) {
            sum[at] += gradient(part, iteration, at);
        }
        return sum;
    }

    private static double[] add(double[] sum, double[] more) {
        for (int at = 0; at < DIMENSION; at++) {
            sum[at] += more[at];
        }
        return sum;
    }
}
