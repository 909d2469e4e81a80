package io.verbena.tools.sockets;

import io.verbena.sockets.nio.ProcessFigures;
import io.verbena.sockets.nio.SocketFigures;
import io.verbena.sockets.stream.StreamFigures;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The figures of all processes at a moment.
 *
 * @param timeNs the moment
 * @param processes by their numbers
 */
public record Snapshot(long timeNs, SortedMap<Long, ProcessFigures> processes) {

    public Snapshot {
        processes = new TreeMap<>(processes);
    }

    /** The connections that a process had, by their numbers. */
    Map<Long, StreamFigures> connections(long pid) {
        return Optional.ofNullable(processes.get(pid)).map(ProcessFigures::connections).orElse(List.of()).stream()
                .collect(Collectors.toMap(SocketFigures::id, SocketFigures::stream));
    }

    /** An object for each process. */
    public List<JsonObject> json() {
        return processes.entrySet().stream()
                .map(process -> new JsonObject()
                        .put("pid", process.getKey())
                        .put("command", process.getValue().command())
                        .putStrings("leftOut", process.getValue().leftOut())
                        .putObjects(
                                "byTcp",
                                new TreeMap<>(process.getValue().byTcp())
                                        .entrySet().stream()
                                                .map(each -> new JsonObject()
                                                        .put("why", each.getKey())
                                                        .put("connections", each.getValue()))
                                                .toList())
                        .putObjects(
                                "connections",
                                process.getValue().connections().stream()
                                        .map(Snapshot::json)
                                        .toList()))
                .toList();
    }

    private static JsonObject json(SocketFigures figures) {
        StreamFigures stream = figures.stream();
        return new JsonObject()
                .put("id", figures.id())
                .put("transport", figures.transport().name())
                .put("why", figures.why())
                .put("accepted", figures.route().accepted())
                .put("local", figures.route().local())
                .put("remote", figures.route().remote())
                .put("sent", json(stream.sent()))
                .put("received", json(stream.received()))
                .put("credits", stream.credits())
                .put("stalls", stream.stalls().count())
                .put("stalledNs", stream.stalls().durationNs())
                .put("receiveBufferBytes", stream.buffers().receiveBytes())
                .put("sendBufferBytes", stream.buffers().sendBytes())
                .put("availableBytes", stream.buffers().availableBytes())
                .put("unfinishedBytes", stream.buffers().unfinishedBytes())
                .put("bufferPhase", stream.buffers().phase().name());
    }

    private static JsonObject json(StreamFigures.Direction direction) {
        return new JsonObject()
                .put("bytes", direction.bytes())
                .put("messages", direction.messages())
                .put("copies", direction.copies())
                .put("copiedBytes", direction.copiedBytes());
    }
}
