package io.verbena.proofs;

import io.verbena.sockets.nio.SocketTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * The connections of a JVM both of whose ends were channels of our provider, by its flight recorder.
 *
 * @param byRdma how many were carried by RDMA
 * @param byTcp the addresses of the others
 */
public record Ends(int byRdma, List<String> byTcp) {

    private static final String CONNECT = "io.verbena.sockets.Connect";
    private static final String ACCEPT = "io.verbena.sockets.Accept";

    /** The options of a JVM that records its connections. */
    static List<String> recorder(Path file) {
        return List.of(
                "-Xlog:jfr*=off",
                "-XX:StartFlightRecording:settings=none,dumponexit=true,filename=" + file + "," + CONNECT
                        + "#enabled=true," + ACCEPT + "#enabled=true");
    }

    static Ends of(Path file) throws IOException {
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        Set<String> accepted = named(events, ACCEPT)
                .map(event -> event.getString("remote") + " to " + event.getString("local"))
                .collect(Collectors.toCollection(HashSet::new));
        List<String> byTcp = new ArrayList<>();
        int byRdma = 0;
        for (RecordedEvent event : named(events, CONNECT).toList()) {
            String route = event.getString("local") + " to " + event.getString("remote");
            if (!event.getString("transport").equals(SocketTransport.TCP.name())) {
                byRdma++;
            } else if (accepted.contains(route)) {
                byTcp.add(route);
            }
        }
        return new Ends(byRdma, byTcp);
    }

    private static Stream<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals(name));
    }

    /** Requires that at least this part of the connections was carried by RDMA. Over the provider of the JDK nothing is required. */
    public void requireByRdma(Carrier carrier, int leastPercent) {
        if (carrier != Carrier.PLAIN && byRdma * 100L < leastPercent * (byRdma + (long) byTcp.size())) {
            throw new AssertionError("less than " + leastPercent + " % of the connections were carried by RDMA: "
                    + byRdma + ", and by TCP " + byTcp.size() + ": " + byTcp);
        }
    }
}
