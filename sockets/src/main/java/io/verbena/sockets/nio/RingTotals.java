package io.verbena.sockets.nio;

import io.verbena.sockets.ring.channel.RingSocket;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.TransportType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What all streams of rings of a provider have done, with those that were closed. */
final class RingTotals {

    private final Set<RingSocket> open = new HashSet<>();
    private StreamTotals all = new StreamTotals(TransportType.SHARED_MEMORY, 0, 0, 0);

    synchronized void add(RingSocket socket) {
        open.add(socket);
    }

    synchronized void remove(RingSocket socket) {
        if (open.remove(socket)) {
            all = sum(all, of(socket));
        }
    }

    private static StreamTotals of(RingSocket socket) {
        RingSocket.Figures figures = socket.figures();
        return new StreamTotals(
                TransportType.SHARED_MEMORY,
                1,
                figures.input().bytes(),
                figures.output().bytes());
    }

    private static StreamTotals sum(StreamTotals one, StreamTotals other) {
        return new StreamTotals(
                one.transport(),
                one.sockets() + other.sockets(),
                one.readBytes() + other.readBytes(),
                one.writtenBytes() + other.writtenBytes());
    }

    /** These totals of other streams, with those of the rings. */
    synchronized List<StreamTotals> with(List<StreamTotals> others) {
        StreamTotals rings = open.stream().map(RingTotals::of).reduce(all, RingTotals::sum);
        if (rings.sockets() == 0) {
            return others;
        }
        List<StreamTotals> both = new ArrayList<>();
        for (StreamTotals each : others) {
            if (each.transport() == TransportType.SHARED_MEMORY) {
                rings = sum(rings, each);
            } else {
                both.add(each);
            }
        }
        both.add(rings);
        return both;
    }
}
