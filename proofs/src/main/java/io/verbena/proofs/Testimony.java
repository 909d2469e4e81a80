package io.verbena.proofs;

import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.TransportType;
import java.util.ArrayList;
import java.util.List;

/** What carried the connections of a program, by its {@link Witness}. */
public record Testimony(List<StreamTotals> totals) {

    /** From the lines of a {@link Witness}. */
    public static Testimony of(List<String> lines) {
        List<StreamTotals> totals = new ArrayList<>();
        for (String line : lines) {
            String[] word = line.split(" ");
            totals.add(new StreamTotals(
                    TransportType.valueOf(word[0]),
                    Long.parseLong(word[1]),
                    Long.parseLong(word[2]),
                    Long.parseLong(word[3])));
        }
        return new Testimony(totals);
    }

    /**
     * Requires that the transports of the carrier, and no others, have carried this much in both directions together. Over the
     * provider of the JDK nothing is required.
     */
    public void requireCarriedBy(Carrier carrier, long leastConnections, long leastBytes) {
        long connections = 0;
        long bytes = 0;
        for (StreamTotals each : totals) {
            require(
                    carrier.transports().contains(each.transport()),
                    "a connection over another carrier than " + carrier);
            connections += each.sockets();
            bytes += each.readBytes() + each.writtenBytes();
        }
        if (carrier != Carrier.PLAIN) {
            require(connections >= leastConnections, "fewer than " + leastConnections + " connections");
            require(bytes >= leastBytes, "fewer than " + leastBytes + " bytes");
        }
    }

    private void require(boolean met, String otherwise) {
        if (!met) {
            throw new AssertionError(otherwise + " were carried by RDMA: " + totals);
        }
    }
}
