package io.verbena.tools.observe;

import io.verbena.live.LiveProcesses;
import io.verbena.live.LiveRnics;
import io.verbena.sockets.nio.SocketMetrics;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import io.verbena.web.FiguresJson;
import io.verbena.web.ProcessFigures;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Shows the RNICs of this process while it is open: to other processes of the user, which {@code verbena web} and {@code verbena top}
 * are, and with a port also to a browser. It costs nothing while none of them asks.
 */
public final class Observation implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final String command;
    private final List<Rnic> rnics;
    private final Supplier<List<Figures>> beyond;
    private final LiveRnics.Shown shown;
    private final Optional<WebServer> server;

    private Observation(
            String command, List<Rnic> rnics, Supplier<List<Figures>> beyond, OptionalInt port, Consumer<String> note)
            throws IOException {
        this.beyond = beyond;
        this.command = command;
        this.rnics = List.copyOf(rnics);
        server = port.isPresent()
                ? Optional.of(WebServer.open(PageOptions.loopback(port.getAsInt()), () -> List.of(now())))
                : Optional.empty();
        shown = LiveRnics.replace(this::now, note);
    }

    /**
     * Shows these RNICs.
     *
     * @param command what the process is called
     * @param beyond figures of what the process does with them, such as a storage target
     * @param port port of the page; empty for none
     * @param note receives a sentence if other processes do not find this one, or find it at an unusual place
     * @throws IOException if the port cannot be used
     */
    public static Observation of(
            String command, List<Rnic> rnics, Supplier<List<Figures>> beyond, OptionalInt port, Consumer<String> note)
            throws IOException {
        return new Observation(command, rnics, beyond, port, note);
    }

    private Figures now() {
        return ProcessFigures.of(command, rnics.stream().map(Rnic::figures).toList(), beyond.get());
    }

    /** The address of the page, if there is one. */
    public Optional<URI> address() {
        return server.map(WebServer::address);
    }

    /**
     * The figures of all processes of this user that show some: RNICs, or the sockets of a program that runs with the provider of
     * channels.
     *
     * @throws IOException if the folder of the processes cannot be read
     */
    public static List<Figures> others() throws IOException {
        SequencedMap<String, Figures> byPid = new LinkedHashMap<>();
        for (String published : LiveProcesses.ask(LiveRnics.KIND, "", PATIENCE).values()) {
            try {
                FiguresJson.read(published, KnownFigures.all()).forEach(process -> add(byPid, process));
            } catch (IllegalArgumentException e) {
                continue; // a process of another version
            }
        }
        LiveProcesses.ask(SocketMetrics.KIND, "", PATIENCE)
                .forEach((pid, text) -> SocketMetrics.published(pid, text).ifPresent(process -> add(byPid, process)));
        return List.copyOf(byPid.values());
    }

    /** The same for these processes and those that they have started. */
    public static List<Figures> of(Collection<ProcessHandle> parents) {
        try {
            return others().stream()
                    .filter(each -> startedBy(parents, each.identity().getOrDefault("pid", "")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean startedBy(Collection<ProcessHandle> parents, String pid) {
        return Stream.iterate(
                        ProcessHandle.of(Long.parseLong(pid)),
                        Optional::isPresent,
                        each -> each.get().parent())
                .anyMatch(each -> parents.contains(each.orElseThrow()));
    }

    /** A process that shows RNICs and sockets is one process. */
    private static void add(Map<String, Figures> byPid, Figures process) {
        byPid.merge(String.valueOf(process.identity().get("pid")), process, (before, more) -> {
            Figures.Builder joined = Figures.of(before.subject());
            before.identity().forEach(joined::identity);
            before.texts().forEach(joined::text);
            before.parts().forEach(joined::part);
            more.parts().forEach(joined::part);
            return joined.build();
        });
    }

    @Override
    public void close() {
        shown.close();
        server.ifPresent(WebServer::close);
    }
}
