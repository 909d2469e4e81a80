import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import io.verbena.web.ProcessFigures;
import io.verbena.web.WebOptions;
import io.verbena.web.WebServer;
import java.util.List;

/**
 * A page whose figures the tests know: 1,000 queue pairs, of which number i sends i * 1000 bytes in a second and has i % 128 requests in
 * its send queue of 128. Arguments: the port and the token. Ends when its standard input ends.
 */
public class KnownFigures {

    private static final int QUEUE_PAIRS = 1_000;
    private static final int DEPTH = 128;

    void main(String[] arguments) throws Exception {
        long startNs = System.nanoTime();
        WebOptions options = WebOptions.loopback(Integer.parseInt(arguments[0])).withToken(arguments[1]);
        try (WebServer server = WebServer.open(options, () -> sample(System.nanoTime() - startNs))) {
            System.out.println("Live view: " + server.address());
            System.in.read();
        }
    }

    private static List<Figures> sample(long ns) {
        Figures.Builder rnic = Figures.of("rnic")
                .text("provider", "iwarp")
                .text("transport", "iWARP")
                .text("state", "OPEN")
                .value(RnicFigures.QUEUE_PAIRS, QUEUE_PAIRS)
                .value(RnicFigures.REGIONS, 3);
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            long bytes = (long) (ns / 1e9 * i * 1_000);
            rnic.part(Figures.of("queue_pair")
                    .identity("number", String.format("0x%06x", i))
                    .text("state", "RTS")
                    .text("peer", "<img src=x onerror=alert(1)>")
                    .value(RnicFigures.OPERATIONS, "send", bytes / 1_000)
                    .value(RnicFigures.IO, "transmit", bytes)
                    .value(RnicFigures.IO, "receive", 0)
                    .value(RnicFigures.QUEUE_LIMIT, "send", DEPTH)
                    .value(RnicFigures.QUEUE_POSTED, "send", bytes / 1_000 + i % DEPTH)
                    .value(RnicFigures.QUEUE_OUTSTANDING, "send", i % DEPTH)
                    .value(RnicFigures.ROUND_TRIP, i * 1_000L)
                    .build());
        }
        return List.of(ProcessFigures.of("known figures", List.of(rnic.build())));
    }
}
