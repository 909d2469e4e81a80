package io.verbena.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.verbena.verbs.TransportType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.metrics.source.Source;

/** Figures of an executor, as a source of Spark's metrics system with the name {@code verbena}. */
final class ShuffleFigures implements Source {

    /** Bytes of map outputs that peers can read now: 0 after all shuffles were removed. */
    final AtomicLong registeredBytes = new AtomicLong();

    /** Regions of map outputs, shared ones counted once. */
    final AtomicLong registeredRegions = new AtomicLong();

    /** Registered memory that waits for its next use, of this executor as a reducer and as one that collects small blocks. */
    final AtomicLong idleBytes = new AtomicLong();

    /** RDMA Reads that this executor has posted, and the bytes they have read. */
    final AtomicLong reads = new AtomicLong();

    final AtomicLong readBytes = new AtomicLong();

    /** Doorbells for those Reads. */
    final AtomicLong doorbells = new AtomicLong();

    /** Requests of this executor for ranges, and blocks that they named. */
    final AtomicLong opens = new AtomicLong();

    final AtomicLong openedBlocks = new AtomicLong();

    /** Fetches of this executor without a request, because it knew where the blocks are. */
    final AtomicLong located = new AtomicLong();

    /** Requests of peers for ranges, and those of them whose blocks were collected in one place. */
    final AtomicLong served = new AtomicLong();

    final AtomicLong gathered = new AtomicLong();

    /** Fetches that were repeated after a connection had ended. */
    final AtomicLong repeated = new AtomicLong();

    /** Connections that this executor has made to read, by what carries them. */
    private final Map<TransportType, AtomicLong> connections = new EnumMap<>(TransportType.class);

    private final MetricRegistry registry = new MetricRegistry();

    ShuffleFigures() {
        gauge("registeredBytes", registeredBytes);
        gauge("registeredRegions", registeredRegions);
        gauge("idleBytes", idleBytes);
        gauge("reads", reads);
        gauge("readBytes", readBytes);
        gauge("doorbells", doorbells);
        gauge("opens", opens);
        gauge("openedBlocks", openedBlocks);
        gauge("located", located);
        gauge("served", served);
        gauge("gathered", gathered);
        gauge("repeated", repeated);
        for (TransportType type : TransportType.values()) {
            connections.put(type, new AtomicLong());
            gauge("connections." + type, connected(type));
        }
    }

    /** Connections over this transport. */
    AtomicLong connected(TransportType type) {
        return Objects.requireNonNull(connections.get(type));
    }

    private void gauge(String name, AtomicLong value) {
        registry.register(name, (Gauge<Long>) value::get);
    }

    @Override
    public String sourceName() {
        return "verbena";
    }

    @Override
    public MetricRegistry metricRegistry() {
        return registry;
    }
}
