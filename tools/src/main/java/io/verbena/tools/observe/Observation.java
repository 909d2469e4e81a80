package io.verbena.tools.observe;

import io.verbena.sockets.live.LiveProcesses;
import io.verbena.sockets.live.Publication;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.web.FiguresJson;
import io.verbena.web.ProcessFigures;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Shows the RNICs of this process while it is open: to other processes of the user, which {@code verbena web} and {@code verbena top}
 * are, and with a port also to a browser. It costs nothing while none of them asks.
 */
public final class Observation implements AutoCloseable {

    private static final String KIND = "figures";
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final String command;
    private final List<Rnic> rnics;
    private final Optional<Publication> publication;
    private final Optional<WebServer> server;

    private Observation(String command, List<Rnic> rnics, OptionalInt port) throws IOException {
        this.command = command;
        this.rnics = List.copyOf(rnics);
        server = port.isPresent()
                ? Optional.of(WebServer.open(PageOptions.loopback(port.getAsInt()), () -> List.of(now())))
                : Optional.empty();
        publication = publish();
    }

    /**
     * Shows these RNICs.
     *
     * @param command what the process is called
     * @param port port of the page; empty for none
     * @throws IOException if the port cannot be used
     */
    public static Observation of(String command, List<Rnic> rnics, OptionalInt port) throws IOException {
        return new Observation(command, rnics, port);
    }

    /** Without a folder for it, a process is not found by others, and works. */
    private Optional<Publication> publish() {
        try {
            return Optional.of(Publication.open(KIND, _ -> FiguresJson.text(List.of(now()))));
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    private Figures now() {
        return ProcessFigures.of(command, rnics.stream().map(Rnic::figures).toList());
    }

    /** The address of the page, if there is one. */
    public Optional<URI> address() {
        return server.map(WebServer::address);
    }

    /**
     * The figures of all processes of this user that show some.
     *
     * @throws IOException if the folder of the processes cannot be read
     */
    public static List<Figures> others() throws IOException {
        List<Figures> all = new ArrayList<>();
        for (Map.Entry<Long, String> each :
                LiveProcesses.ask(KIND, "", PATIENCE).entrySet()) {
            try {
                all.addAll(FiguresJson.read(each.getValue(), RnicFigures.all()));
            } catch (IllegalArgumentException e) {
                continue; // a process of another version
            }
        }
        return all;
    }

    @Override
    public void close() {
        publication.ifPresent(Publication::close);
        server.ifPresent(WebServer::close);
    }
}
