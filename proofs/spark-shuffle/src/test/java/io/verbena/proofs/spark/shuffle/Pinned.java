package io.verbena.proofs.spark.shuffle;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;

/** The same records, computed by one executor. */
final class Pinned<T> extends RDD<T> {

    private final String location;

    /**
     * Pins an RDD.
     *
     * @param location as Spark names it: executor_HOST_ID
     */
    Pinned(RDD<T> parent, String location, ClassTag<T> type) {
        super(parent, type);
        this.location = location;
    }

    @Override
    public Partition[] getPartitions() {
        return this.<T>firstParent(elementClassTag()).partitions();
    }

    @Override
    public Iterator<T> compute(Partition part, TaskContext context) {
        return this.<T>firstParent(elementClassTag()).iterator(part, context);
    }

    @Override
    public scala.collection.immutable.Seq<String> getPreferredLocations(Partition part) {
        return CollectionConverters.asScala(List.of(location)).toList();
    }
}
