package io.verbena.tools.observe;

import io.verbena.fabric.endnode.LinkMetrics;
import io.verbena.messaging.ChannelMetrics;
import io.verbena.messaging.CommunicatorMetrics;
import io.verbena.sockets.nio.SocketMetrics;
import io.verbena.sockets.proxy.ProxyMetrics;
import io.verbena.storage.service.DiskMetrics;
import io.verbena.verbs.Figure;
import io.verbena.verbs.RnicFigures;
import java.util.List;
import java.util.stream.Stream;

/** The definitions of the figures of all modules. */
public final class KnownFigures {

    private KnownFigures() {}

    /** In the order of the documentation, RNICs first. */
    public static List<Figure> all() {
        return Stream.concat(RnicFigures.all().stream(), beyondRnics().stream()).toList();
    }

    /** Those of what programs do with RNICs. */
    public static List<Figure> beyondRnics() {
        return Stream.of(
                        DiskMetrics.all(),
                        SocketMetrics.all(),
                        ProxyMetrics.all(),
                        ChannelMetrics.all(),
                        CommunicatorMetrics.all(),
                        LinkMetrics.all())
                .flatMap(List::stream)
                .toList();
    }
}
