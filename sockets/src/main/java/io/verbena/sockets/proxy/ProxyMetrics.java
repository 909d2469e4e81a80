package io.verbena.sockets.proxy;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;

/** The figures of a proxy under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class ProxyMetrics {

    static final Figure OPEN = gauge("verbena.proxy.open", "{connection}", "", "Connections that are open.");
    static final Figure CONNECTIONS = counter(
            "verbena.proxy.connections",
            "{connection}",
            "result",
            "Connections of clients: accepted, refused beyond a limit, failed because the target could not be connected, plain"
                    + " (of the accepted ones, those whose peer at an end for RDMA used TCP).");
    static final Figure IO =
            counter("verbena.proxy.io", "By", "direction", "Bytes that were carried: to_target, to_clients.");

    private ProxyMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(OPEN, CONNECTIONS, IO);
    }

    /** These figures of a proxy. */
    public static Figures of(ProxyFigures figures) {
        ProxyFigures.Connections connections = figures.connections();
        return Figures.of("proxy")
                .value(OPEN, connections.open())
                .value(CONNECTIONS, "accepted", connections.accepted())
                .value(CONNECTIONS, "refused", connections.refused())
                .value(CONNECTIONS, "failed", connections.failed())
                .value(CONNECTIONS, "plain", connections.plain())
                .value(IO, "to_target", figures.bytesToTarget())
                .value(IO, "to_clients", figures.bytesToClients())
                .build();
    }
}
