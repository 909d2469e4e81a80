package io.verbena.netty;

import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.util.Optional;

/** The network of all handlers for which the program has none. */
final class SharedNetwork {

    private static Optional<StreamNetwork> opened = Optional.empty();

    private SharedNetwork() {}

    static synchronized StreamNetwork open() {
        if (opened.isEmpty()) {
            StreamNetwork network = StreamNetwork.open(RnicOptions.defaults(), StreamOptions.defaults());
            opened = Optional.of(network);
            network.flushAtExit();
        }
        return opened.get();
    }
}
