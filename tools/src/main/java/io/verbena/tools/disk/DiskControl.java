package io.verbena.tools.disk;

import io.verbena.live.LiveProcesses;
import io.verbena.live.Publication;
import io.verbena.tools.base.Failure;
import io.verbena.tools.disk.DiskRequest.Add;
import io.verbena.tools.disk.DiskRequest.Remove;
import io.verbena.tools.disk.DiskRequest.Resize;
import io.verbena.tools.disk.DiskRequest.Show;
import io.verbena.tools.disk.ServedDisks.Served;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How other commands of the user change a running server: one request, one answer. */
public final class DiskControl {
    private static final String KIND = "disk";
    private static final String ERROR = "error";
    private static final String OK = "ok";

    /** A disk that is removed may wait two seconds for its last commands. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private DiskControl() {}

    /** Answers requests until it is closed. A server that cannot be reached by other commands works without, and notes that. */
    public static Optional<Publication> offer(
            ServedDisks disks, String address, Function<Throwable, String> sentence, Consumer<String> note) {
        return Publication.offer(KIND, request -> answer(disks, address, request, sentence), note);
    }

    private static String answer(
            ServedDisks disks, String address, String request, Function<Throwable, String> sentence) {
        try {
            return rows(disks, address, DiskRequest.of(request)).stream()
                    .map(Words::line)
                    .collect(Collectors.joining("\n", OK + '\n', ""));
        } catch (IOException | Failure | RuntimeException e) {
            return Words.line(Map.of(ERROR, sentence.apply(e)));
        }
    }

    private static List<Map<String, String>> rows(ServedDisks disks, String address, DiskRequest request)
            throws IOException, Failure {
        return switch (request) {
            case Show() -> DiskRows.of(address, disks.figures(), disks);
            case Add add -> {
                Served served = disks.add(add);
                Map<String, String> row = new LinkedHashMap<>();
                row.put("address", address);
                row.put("nqn", served.nqn());
                row.put("namespace", String.valueOf(served.namespace()));
                row.put("uuid", served.uuid().toString());
                yield List.of(row);
            }
            case Remove remove -> {
                disks.remove(remove);
                yield List.of();
            }
            case Resize resize -> {
                disks.resize(resize);
                yield List.of();
            }
        };
    }

    /** What all servers of this user show, by their processes. */
    public static SortedMap<Long, List<Map<String, String>>> show() throws IOException, Failure {
        SortedMap<Long, List<Map<String, String>>> servers = new TreeMap<>();
        for (Map.Entry<Long, String> each :
                LiveProcesses.ask(KIND, new Show().toText(), PATIENCE).entrySet()) {
            servers.put(each.getKey(), rows(each.getValue()));
        }
        return servers;
    }

    /**
     * Asks one server.
     *
     * @param pid its process; empty: the only one
     */
    public static List<Map<String, String>> ask(Optional<Long> pid, DiskRequest request) throws IOException, Failure {
        long process = pid.isPresent() ? pid.get() : only();
        Optional<String> answer = LiveProcesses.ask(KIND, process, request.toText(), PATIENCE);
        return rows(answer.orElseThrow(() -> new Failure("Process " + process
                + " serves no disks, is another user's, or does not answer: 'verbena disk list' shows the servers")));
    }

    private static long only() throws IOException, Failure {
        SortedMap<Long, List<Map<String, String>>> servers = show();
        if (servers.isEmpty()) {
            throw new Failure("No server of this user runs: start one with 'verbena disk serve FILE'");
        }
        if (servers.size() > 1) {
            throw new Failure("Several servers run: name one by its process with --server, one of "
                    + servers.keySet().stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        return servers.firstKey();
    }

    private static List<Map<String, String>> rows(String answer) throws Failure {
        List<String> lines = answer.lines().toList();
        if (!lines.getFirst().equals(OK)) {
            throw new Failure(Words.parse(lines.getFirst())
                    .getOrDefault(ERROR, "The server answers something that this version does not know: restart it"));
        }
        return lines.stream().skip(1).map(Words::parse).toList();
    }
}
