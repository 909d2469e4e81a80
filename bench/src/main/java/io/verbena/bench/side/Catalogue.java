package io.verbena.bench.side;

import io.verbena.bench.side.Experiment.Entrant;
import io.verbena.bench.side.Row.Candidate;
import io.verbena.bench.side.VerbenaStream.Operation;
import io.verbena.bench.side.peer.JucxPingPong;
import io.verbena.bench.side.peer.JucxPut;
import io.verbena.bench.side.peer.NettyLoops;
import io.verbena.bench.side.peer.NettyPingPong;
import io.verbena.bench.side.peer.NettyStream;
import io.verbena.bench.side.peer.NioPacked;
import io.verbena.bench.side.peer.NioPingPong;
import io.verbena.bench.side.peer.NioStream;
import io.verbena.bench.side.peer.UcxPerftest;
import io.verbena.verbs.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Everything that is compared: the rows of the table, and the experiments that they take their figures from. */
final class Catalogue {

    static final String VERBENA = "verbena";
    static final String NIO = "nio";
    static final String NIO_BEST = "nio-best";
    static final String UCX = "ucx";
    static final String NETTY = "netty";
    static final String IO_URING = "netty-io_uring";
    static final String JUCX = "jucx";

    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final int[] SIZES = {4 * KIB, 64 * KIB, MIB};
    private static final double[] AT_SAME_SIZE = {3, 1.3, 0.95};
    private static final int SMALL = 8;
    private static final int MESSAGE = 64;
    private static final int CONNECTIONS = 16;
    private static final int WINDOW = 64;
    private static final int UCX_LATENCY_WARM_UPS = 10_000;
    private static final int UCX_PUT_WARM_UPS = 1000;

    private final int socketBufferBytes;
    private final Map<String, Experiment> experiments = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();

    Catalogue(int socketBufferBytes) {
        this.socketBufferBytes = socketBufferBytes;
        latency();
        for (Operation operation : List.of(Operation.WRITE, Operation.READ)) {
            bandwidth(operation);
        }
        checksummed();
        put();
        messageRate();
        manyConnections();
        netty();
        besideABusyProcess();
        capture();
        jucx();
        SharedMemoryRows shared = new SharedMemoryRows(socketBufferBytes);
        shared.experiments().forEach(experiment -> experiments.put(experiment.name(), experiment));
        rows.addAll(shared.rows());
        RoceRows roce = new RoceRows(socketBufferBytes);
        roce.experiments().forEach(experiment -> experiments.put(experiment.name(), experiment));
        rows.addAll(roce.rows());
    }

    List<Row> rows() {
        return rows;
    }

    Experiment experiment(String name) {
        Experiment found = experiments.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no experiment is named " + name);
        }
        return found;
    }

    /** A size as text. */
    static String size(int bytes) {
        if (bytes >= MIB && bytes % MIB == 0) {
            return bytes / MIB + " MiB";
        }
        return bytes >= KIB && bytes % KIB == 0 ? bytes / KIB + " KiB" : bytes + " B";
    }

    // What each mode of progress is called in the table.

    static String word(Progress progress) {
        return progress == Progress.INLINE ? "INLINE" : "engine threads";
    }

    private VerbenaPair.Mode mode(Progress progress, VerbenaPair.Trait... traits) {
        return new VerbenaPair.Mode(progress, socketBufferBytes, traits);
    }

    private String add(String name, int messageBytes, Unit unit, Entrant... entrants) {
        experiments.put(name, new Experiment(name, messageBytes, unit, List.of(entrants)));
        return name;
    }

    private Entrant stream(Operation operation, int bytes, Progress progress, VerbenaPair.Trait... traits) {
        return new Entrant(VERBENA, () -> new VerbenaStream(operation, bytes, mode(progress, traits)));
    }

    private Entrant nio(int bytes) {
        return new Entrant(NIO, () -> new NioStream(bytes, false, socketBufferBytes));
    }

    private Entrant bestNio(int bytes) {
        return new Entrant(NIO_BEST, () -> new NioStream(bytes, true, socketBufferBytes));
    }

    private Entrant ucx(String test, int bytes, int window, int warmUps) {
        return new Entrant(UCX, () -> {
            return new UcxPerftest(test, bytes, window, warmUps, UcxPerftest.overTcp(socketBufferBytes));
        });
    }

    private void row(String operation, String peer, Unit unit, Goal goal, List<Candidate> candidates) {
        rows.add(new Row(operation, peer, unit, goal, candidates));
    }

    // The rows.

    private void latency() {
        Entrant ours = new Entrant(VERBENA, () -> new VerbenaPingPong(false, SMALL, mode(Progress.INLINE)));
        String nio = add(
                "write_lat-nio",
                SMALL,
                Unit.MICROSECONDS,
                ours,
                new Entrant(NIO, () -> new NioPingPong(SMALL, socketBufferBytes)));
        String ucx =
                add("write_lat-ucx", SMALL, Unit.MICROSECONDS, ours, ucx("tag_lat", SMALL, 0, UCX_LATENCY_WARM_UPS));
        String operation = "write_lat " + size(SMALL);
        row(
                operation,
                "plain NIO, busy polling",
                Unit.MICROSECONDS,
                Goal.atMost(1.15),
                List.of(new Candidate(nio, "INLINE", VERBENA, NIO)));
        row(
                operation,
                "UCX over TCP, tag_lat",
                Unit.MICROSECONDS,
                Goal.atMost(1),
                List.of(new Candidate(ucx, "INLINE", VERBENA, UCX)));
    }

    private void bandwidth(Operation operation) {
        for (int i = 0; i < SIZES.length; i++) {
            compareWithNio(operation, SIZES[i], false, Goal.atLeast(AT_SAME_SIZE[i]));
        }
    }

    private void checksummed() {
        compareWithNio(Operation.WRITE, 64 * KIB, true, Goal.atLeast(1));
        compareWithNio(Operation.WRITE, MIB, true, Goal.atLeast(0.65));
    }

    private void compareWithNio(Operation operation, int bytes, boolean crc, Goal goal) {
        String verb = operation.name().toLowerCase(Locale.ROOT) + "_bw";
        boolean withBest = !crc && bytes > 4 * KIB;
        List<Candidate> same = new ArrayList<>();
        List<Candidate> best = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            Entrant ours = crc
                    ? stream(operation, bytes, progress, VerbenaPair.Trait.CRC)
                    : stream(operation, bytes, progress);
            String name = verb + "-" + bytes + (crc ? "-crc-" : "-") + progress;
            Entrant[] entrants =
                    withBest ? new Entrant[] {ours, nio(bytes), bestNio(bytes)} : new Entrant[] {ours, nio(bytes)};
            add(name, bytes, Unit.GIGABYTES_PER_SECOND, entrants);
            same.add(new Candidate(name, word(progress), VERBENA, NIO));
            best.add(new Candidate(name, word(progress), VERBENA, NIO_BEST));
        }
        String title = verb + " " + size(bytes) + (crc ? ", CRC" : "");
        row(title, "plain NIO, one call per message", Unit.GIGABYTES_PER_SECOND, goal, same);
        if (withBest) {
            row(title, "plain NIO, best call size", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(0.9), best);
        }
    }

    private void put() {
        List<Candidate> candidates = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            String name = add(
                    "write_bw-ucx-" + progress,
                    64 * KIB,
                    Unit.GIGABYTES_PER_SECOND,
                    stream(Operation.WRITE, 64 * KIB, progress),
                    ucx("ucp_put_bw", 64 * KIB, WINDOW, UCX_PUT_WARM_UPS));
            candidates.add(new Candidate(name, word(progress), VERBENA, UCX));
        }
        row(
                "write_bw " + size(64 * KIB),
                "UCX over TCP, ucp_put_bw",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atLeast(3),
                candidates);
    }

    private void messageRate() {
        List<Candidate> candidates = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            String name = add(
                    "send_rate-" + progress,
                    MESSAGE,
                    Unit.MILLIONS_PER_SECOND,
                    stream(Operation.SEND, MESSAGE, progress),
                    new Entrant(NIO, () -> new NioPacked(MESSAGE, socketBufferBytes)));
            candidates.add(new Candidate(name, word(progress), VERBENA, NIO));
        }
        row(
                "Sends of " + size(MESSAGE),
                "plain NIO, packed into writes of 64 KiB",
                Unit.MILLIONS_PER_SECOND,
                Goal.atLeast(0.6),
                candidates);
    }

    private void manyConnections() {
        List<Candidate> total = new ArrayList<>();
        List<Candidate> share = new ArrayList<>();
        String many = "connections-" + CONNECTIONS;
        for (Progress progress : Progress.values()) {
            String name = add(
                    "many-" + progress,
                    64 * KIB,
                    Unit.GIGABYTES_PER_SECOND,
                    new Entrant(many, () -> new VerbenaMany(CONNECTIONS, 64 * KIB, mode(progress))),
                    new Entrant("connection-1", () -> new VerbenaMany(1, 64 * KIB, mode(progress))));
            total.add(new Candidate(name, word(progress), many, "connection-1"));
            share.add(new Candidate(name, word(progress), many + "/worstShare", ""));
        }
        String title = CONNECTIONS + " connections, write_bw 64 KiB";
        row(title, "one connection", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(0.9), total);
        row(title, "their mean: the worst deviation", Unit.GIGABYTES_PER_SECOND, Goal.atMost(0.1), share);
    }

    private void netty() {
        for (int bytes : new int[] {4 * KIB, 64 * KIB}) {
            List<Candidate> candidates = new ArrayList<>();
            List<Candidate> uring = new ArrayList<>();
            for (Progress progress : Progress.values()) {
                String name = add(
                        "send_bw-netty-" + bytes + "-" + progress,
                        bytes,
                        Unit.GIGABYTES_PER_SECOND,
                        stream(Operation.SEND, bytes, progress),
                        new Entrant(NETTY, () -> new NettyStream(bytes, socketBufferBytes)),
                        new Entrant(IO_URING, () -> new NettyStream(NettyLoops.IO_URING, bytes, socketBufferBytes)));
                candidates.add(new Candidate(name, word(progress), VERBENA, NETTY));
                uring.add(new Candidate(name, word(progress), VERBENA, IO_URING));
            }
            row("send_bw " + size(bytes), "Netty 4.2", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(1), candidates);
            row("send_bw " + size(bytes), "Netty 4.2 with io_uring", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(1), uring);
        }
        for (int bytes : new int[] {SMALL, 4 * KIB}) {
            String name = add(
                    "send_lat-netty-" + bytes,
                    bytes,
                    Unit.MICROSECONDS,
                    new Entrant(VERBENA, () -> new VerbenaPingPong(true, bytes, mode(Progress.INLINE))),
                    new Entrant(NETTY, () -> new NettyPingPong(bytes, socketBufferBytes)));
            row(
                    "send_lat " + size(bytes),
                    "Netty 4.2 echo, busy polling",
                    Unit.MICROSECONDS,
                    Goal.atMost(1),
                    List.of(new Candidate(name, "INLINE", VERBENA, NETTY)));
        }
    }

    /** A process that computes leaves one processor and a half to the two sides. */
    private void besideABusyProcess() {
        String latency = add(
                "send_lat-busy",
                SMALL,
                Unit.MICROSECONDS,
                BesideBusyProcess.entrant(
                        new Entrant(VERBENA, () -> new VerbenaPingPong(true, SMALL, mode(Progress.INLINE)))),
                BesideBusyProcess.entrant(new Entrant(NETTY, () -> new NettyPingPong(SMALL, socketBufferBytes))));
        row(
                "send_lat " + size(SMALL) + ", beside a busy process",
                "Netty 4.2 echo, busy polling",
                Unit.MICROSECONDS,
                Goal.atMost(1),
                List.of(new Candidate(latency, "INLINE", VERBENA, NETTY)));
        for (int bytes : new int[] {4 * KIB, 64 * KIB}) {
            List<Candidate> candidates = new ArrayList<>();
            for (Progress progress : Progress.values()) {
                String name = add(
                        "send_bw-busy-" + bytes + "-" + progress,
                        bytes,
                        Unit.GIGABYTES_PER_SECOND,
                        BesideBusyProcess.entrant(stream(Operation.SEND, bytes, progress)),
                        BesideBusyProcess.entrant(new Entrant(NETTY, () -> new NettyStream(bytes, socketBufferBytes))));
                candidates.add(new Candidate(name, word(progress), VERBENA, NETTY));
            }
            row(
                    "send_bw " + size(bytes) + ", beside a busy process",
                    "Netty 4.2",
                    Unit.GIGABYTES_PER_SECOND,
                    Goal.atLeast(0.9),
                    candidates);
        }
    }

    private void capture() {
        List<Candidate> candidates = new ArrayList<>();
        String without = "without-capture";
        for (Progress progress : Progress.values()) {
            String name = add(
                    "write_bw-capture-" + progress,
                    64 * KIB,
                    Unit.GIGABYTES_PER_SECOND,
                    stream(Operation.WRITE, 64 * KIB, progress, VerbenaPair.Trait.CAPTURE),
                    new Entrant(
                            without, stream(Operation.WRITE, 64 * KIB, progress).factory()));
            candidates.add(new Candidate(name, word(progress), VERBENA, without));
        }
        row(
                "write_bw " + size(64 * KIB) + ", headers captured",
                "without a capture",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atLeast(0.5),
                candidates);
    }

    private void jucx() {
        String latency = add(
                "send_lat-jucx",
                SMALL,
                Unit.MICROSECONDS,
                new Entrant(VERBENA, () -> new VerbenaPingPong(true, SMALL, mode(Progress.INLINE))),
                new Entrant(JUCX, () -> new JucxPingPong(SMALL)));
        row(
                "send_lat " + size(SMALL),
                "jucx over TCP, tagged messages",
                Unit.MICROSECONDS,
                Goal.atMost(1),
                List.of(new Candidate(latency, "INLINE", VERBENA, JUCX)));
        String put = add(
                "write_bw-jucx",
                64 * KIB,
                Unit.GIGABYTES_PER_SECOND,
                stream(Operation.WRITE, 64 * KIB, Progress.ENGINE_THREAD),
                new Entrant(JUCX, () -> new JucxPut(64 * KIB)));
        row(
                "write_bw " + size(64 * KIB),
                "jucx over TCP, put",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atLeast(1),
                List.of(new Candidate(put, word(Progress.ENGINE_THREAD), VERBENA, JUCX)));
    }
}
