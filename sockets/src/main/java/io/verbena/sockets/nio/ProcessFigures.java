package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;
import io.verbena.sockets.stream.StreamFigures.BufferPhase;
import io.verbena.sockets.stream.StreamFigures.Buffers;
import io.verbena.sockets.stream.StreamFigures.Direction;
import io.verbena.sockets.stream.StreamFigures.Stalls;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the provider of a process has done, as a process publishes it and another one reads it: a line with the version, one with
 * the command, one with what is left out, one with reasons for TCP and their numbers, and one for each
 * connection. The parts of the last three are
 * separated by tabs.
 *
 * @param command what the process runs
 * @param leftOut what TCP carries in any case, and why
 * @param byTcp why connections were and are by TCP, each with the number of them since the provider was made
 */
public record ProcessFigures(
        String command, List<String> leftOut, Map<String, Long> byTcp, List<SocketFigures> connections) {

    /** What a process publishes these figures as. */
    public static final String KIND = "sockets";

    private static final String VERSION = "verbena-sockets 5";
    /** Lines before those of the connections. */
    private static final int HEAD = 4;

    private static final int FIELDS = 22;

    /** Fields of a connection before its numbers. */
    private static final int WORDS = 6;

    public ProcessFigures {
        leftOut = List.copyOf(leftOut);
        byTcp = Map.copyOf(byTcp);
        connections = List.copyOf(connections);
    }

    /** Those of this process. */
    static ProcessFigures ofThis(Map<String, Long> byTcp, List<SocketFigures> connections) {
        return new ProcessFigures(System.getProperty("sun.java.command", ""), LeftOut.sentences(), byTcp, connections);
    }

    /** As text. */
    public String toText() {
        return Stream.of(
                        List.of(
                                VERSION,
                                clean(command),
                                leftOut.stream().map(ProcessFigures::clean).collect(Collectors.joining("\t")),
                                byTcp.entrySet().stream()
                                        .map(each -> each.getValue() + " " + clean(each.getKey()))
                                        .collect(Collectors.joining("\t"))),
                        connections.stream().map(ProcessFigures::line).toList())
                .flatMap(Collection::stream)
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String line(SocketFigures figures) {
        StreamFigures stream = figures.stream();
        Buffers buffers = stream.buffers();
        return Stream.of(
                        figures.transport(),
                        buffers.phase(),
                        figures.route().accepted(),
                        clean(figures.route().local()),
                        clean(figures.route().remote()),
                        clean(figures.why()),
                        figures.id(),
                        stream.sent().bytes(),
                        stream.sent().messages(),
                        stream.sent().copies(),
                        stream.sent().copiedBytes(),
                        stream.received().bytes(),
                        stream.received().messages(),
                        stream.received().copies(),
                        stream.received().copiedBytes(),
                        stream.credits(),
                        stream.stalls().count(),
                        stream.stalls().durationNs(),
                        buffers.receiveBytes(),
                        buffers.sendBytes(),
                        buffers.availableBytes(),
                        buffers.unfinishedBytes())
                .map(String::valueOf)
                .collect(Collectors.joining("\t"));
    }

    private static String clean(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    /** Reads a text; nothing if it has another version or is not complete. */
    public static Optional<ProcessFigures> of(String text) {
        List<String> lines = text.lines().toList();
        if (lines.size() < HEAD || !lines.getFirst().equals(VERSION)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ProcessFigures(
                    lines.get(1),
                    parts(lines.get(2)).toList(),
                    parts(lines.get(3)).collect(Collectors.toMap(ProcessFigures::reason, ProcessFigures::count)),
                    lines.stream().skip(HEAD).map(ProcessFigures::connection).toList()));
        } catch (IllegalArgumentException | IllegalStateException e) {
            return Optional.empty();
        }
    }

    private static Stream<String> parts(String line) {
        return Stream.of(line.split("\t")).filter(each -> !each.isEmpty());
    }

    private static String reason(String counted) {
        return counted.substring(counted.indexOf(' ') + 1);
    }

    private static long count(String counted) {
        return Long.parseLong(counted.substring(0, Math.max(0, counted.indexOf(' '))));
    }

    private static SocketFigures connection(String line) {
        String[] words = line.split("\t", -1);
        if (words.length != FIELDS) {
            throw new IllegalArgumentException(words.length + " fields");
        }
        long[] n =
                Arrays.stream(words, WORDS, FIELDS).mapToLong(Long::parseLong).toArray();
        return new SocketFigures(
                n[0],
                new SocketFigures.Route(words[3], words[4], Boolean.parseBoolean(words[2])),
                SocketTransport.valueOf(words[0]),
                words[5],
                new StreamFigures(
                        new Direction(n[1], n[2], n[3], n[4]),
                        new Direction(n[5], n[6], n[7], n[8]),
                        Math.toIntExact(n[9]),
                        new Stalls(n[10], n[11]),
                        new Buffers(
                                Math.toIntExact(n[12]),
                                Math.toIntExact(n[13]),
                                Math.toIntExact(n[14]),
                                Math.toIntExact(n[15]),
                                BufferPhase.valueOf(words[1]))));
    }
}
