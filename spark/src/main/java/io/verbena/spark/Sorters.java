package io.verbena.spark;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.Aggregator;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Makes sorters of Spark. It is the only call of this module in which the supported versions of Spark differ: after the
 * parameters of Spark 4.0 the constructor of 4.2 has checksums of rows.
 */
final class Sorters {

    private static final Constructor<?> CONSTRUCTOR = ExternalSorter.class.getConstructors()[0];

    private Sorters() {}

    /** A sorter of one partition. */
    @SuppressWarnings("unchecked")
    static <K, V, C> ExternalSorter<K, V, C> create(
            TaskContext context,
            Option<Aggregator<K, V, C>> aggregator,
            Option<Ordering<K>> ordering,
            Serializer serializer) {
        List<Object> arguments = new ArrayList<>(List.of(context, aggregator, Option.empty(), ordering, serializer));
        Class<?>[] types = CONSTRUCTOR.getParameterTypes();
        if (types.length > arguments.size()) {
            Class<?> checksum = Objects.requireNonNull(types[arguments.size()].getComponentType());
            arguments.add(Array.newInstance(checksum, 0));
        }
        try {
            return (ExternalSorter<K, V, C>) CONSTRUCTOR.newInstance(arguments.toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this version of Spark has another ExternalSorter", e);
        }
    }
}
