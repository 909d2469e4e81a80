package io.verbena.proofs.flink;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;

/**
 * A client that sums numbers by key, and prints the sums. Each record goes to the task manager that has its key,
 * half of them to the other one.
 * It does so in a batch, then as a stream. Arguments: the port of the cluster, the number of records.
 */
final class Sums {

    /** Begins a line of the output; the mode, key, sum and bytes follow. */
    static final String SUM = "sum ";

    static final List<RuntimeExecutionMode> MODES = List.of(RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING);

    static final int KEYS = 1_000;
    static final int TEXT_BYTES = 100;
    private static final int PARALLELISM = 2;

    private Sums() {}

    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.set(RestOptions.IDLENESS_TIMEOUT, Duration.ofMinutes(1));
        try (StreamExecutionEnvironment flink = StreamExecutionEnvironment.createRemoteEnvironment(
                "127.0.0.1", Integer.parseInt(arguments[0]), settings)) {
            flink.setParallelism(PARALLELISM);
            for (RuntimeExecutionMode mode : MODES) {
                flink.setRuntimeMode(mode);
                sums(flink, Long.parseLong(arguments[1]))
                        .forEach(
                                (key, sum) -> System.out.println(SUM + mode + " " + key + " " + sum.f1 + " " + sum.f2));
            }
        }
    }

    private static Map<Long, Tuple3<Long, Long, Long>> sums(StreamExecutionEnvironment flink, long records)
            throws Exception {
        Map<Long, Tuple3<Long, Long, Long>> last = new TreeMap<>();
        try (CloseableIterator<Tuple3<Long, Long, Long>> sums = flink.fromSequence(0, records - 1)
                .map(Sums::record)
                .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.STRING))
                .keyBy(record -> record.f0, Types.LONG)
                .map(record -> Tuple3.of(record.f0, record.f1, (long) record.f2.length()))
                .returns(Types.TUPLE(Types.LONG, Types.LONG, Types.LONG))
                .keyBy(record -> record.f0, Types.LONG)
                .reduce((one, other) -> Tuple3.of(one.f0, one.f1 + other.f1, one.f2 + other.f2))
                .executeAndCollect()) {
            sums.forEachRemaining(sum -> last.put(sum.f0, sum)); // in a stream the last one counts
        }
        return last;
    }

    private static Tuple3<Long, Long, String> record(long number) {
        return Tuple3.of(number % KEYS, number, String.format("%0" + TEXT_BYTES + "d", number));
    }

    /** The line of a key, computed without Flink. */
    static String expected(RuntimeExecutionMode mode, long key, long records) {
        long sum = 0;
        long count = 0;
        for (long number = key; number < records; number += KEYS) {
            sum += number;
            count++;
        }
        return SUM + mode + " " + key + " " + sum + " " + count * TEXT_BYTES;
    }
}
