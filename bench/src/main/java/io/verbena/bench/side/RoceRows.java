package io.verbena.bench.side;

import io.verbena.bench.side.Experiment.Entrant;
import io.verbena.bench.side.Row.Candidate;
import io.verbena.bench.side.VerbenaStream.Operation;
import io.verbena.bench.side.peer.UcxPerftest;
import io.verbena.bench.side.peer.UdpProgram;
import io.verbena.verbs.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The rows of the provider roce, beside a C program that sends the same packets, beside our iWARP with CRC, and beside UCX over TCP. */
final class RoceRows {

    private static final String VERBENA = Catalogue.VERBENA;
    private static final String C = "c";
    private static final String IWARP = "iwarp";
    private static final String UCX = Catalogue.UCX;
    private static final String WRITE = "write";
    private static final String OURS = "roce: ";
    private static final int SMALL = 8;
    private static final int LARGE = 64 << 10;
    private static final int WINDOW = 64;
    private static final int LATENCY_WARM_UPS = 10_000;
    private static final int PUT_WARM_UPS = 1000;

    private final int socketBufferBytes;
    private final List<Experiment> experiments = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    RoceRows(int socketBufferBytes) {
        this.socketBufferBytes = socketBufferBytes;
        for (int mtuBytes : new int[] {1024, 4096}) {
            writes(mtuBytes);
        }
        reads();
        jdkSockets();
        latency();
        messageRate();
    }

    List<Experiment> experiments() {
        return experiments;
    }

    List<Row> rows() {
        return rows;
    }

    private VerbenaPair.Mode mode(Progress progress, int mtuBytes) {
        return new VerbenaPair.Mode("roce", progress, socketBufferBytes, mtuBytes, Set.of());
    }

    private Entrant stream(Operation operation, int bytes, Progress progress, int mtuBytes) {
        return new Entrant(VERBENA, () -> new VerbenaStream(operation, bytes, mode(progress, mtuBytes)));
    }

    private Entrant ucx(String test, int bytes, int window, int warmUps) {
        return new Entrant(
                UCX, () -> new UcxPerftest(test, bytes, window, warmUps, UcxPerftest.overTcp(socketBufferBytes)));
    }

    private void row(String operation, String peer, Unit unit, Goal goal, List<String> names, String theirs) {
        List<Candidate> candidates = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            candidates.add(new Candidate(names.get(progress.ordinal()), Catalogue.word(progress), VERBENA, theirs));
        }
        rows.add(new Row(OURS + operation, peer, unit, goal, candidates));
    }

    private String add(String name, int bytes, Unit unit, Entrant... entrants) {
        experiments.add(new Experiment(name, bytes, unit, List.of(entrants)));
        return name;
    }

    private void writes(int mtuBytes) {
        List<String> names = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            VerbenaPair.Mode checked = new VerbenaPair.Mode(IWARP, progress, socketBufferBytes, VerbenaPair.Trait.CRC);
            names.add(add(
                    "roce-write_bw-" + mtuBytes + "-" + progress,
                    LARGE,
                    Unit.GIGABYTES_PER_SECOND,
                    stream(Operation.WRITE, LARGE, progress, mtuBytes),
                    new Entrant(C, () -> UdpProgram.stream(LARGE, mtuBytes, true)),
                    new Entrant(IWARP, () -> new VerbenaStream(Operation.WRITE, LARGE, checked)),
                    ucx("ucp_put_bw", LARGE, WINDOW, PUT_WARM_UPS)));
        }
        String what = "write_bw 64 KiB, path MTU " + mtuBytes;
        Unit unit = Unit.GIGABYTES_PER_SECOND;
        row(what, "C with GSO and GRO, no RDMA work", unit, Goal.atLeast(0.5), names, C);
        row(what, "Verbena over TCP with CRC", unit, Goal.atLeast(0.6), names, IWARP);
        row(what, "UCX over TCP, ucp_put_bw", unit, Goal.atLeast(1.5), names, UCX);
    }

    private void reads() {
        List<String> names = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            names.add(add(
                    "roce-read_bw-" + progress,
                    LARGE,
                    Unit.GIGABYTES_PER_SECOND,
                    stream(Operation.READ, LARGE, progress, 4096),
                    new Entrant(
                            WRITE,
                            stream(Operation.WRITE, LARGE, progress, 4096).factory())));
        }
        String what = "read_bw 64 KiB, path MTU 4096";
        row(what, "Verbena's Writes", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(0.8), names, WRITE);
    }

    private void jdkSockets() {
        List<String> names = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            VerbenaPair.Mode jdk = new VerbenaPair.Mode(
                    "roce", progress, socketBufferBytes, 1024, Set.of(VerbenaPair.Trait.JDK_SOCKETS));
            names.add(add(
                    "roce-jdk-write_bw-" + progress,
                    LARGE,
                    Unit.GIGABYTES_PER_SECOND,
                    new Entrant(VERBENA, () -> new VerbenaStream(Operation.WRITE, LARGE, jdk)),
                    new Entrant(C, () -> UdpProgram.stream(LARGE, 1024, false))));
        }
        String what = "write_bw 64 KiB, path MTU 1024, without native access";
        row(what, "C, one packet per call", Unit.GIGABYTES_PER_SECOND, Goal.atLeast(0.7), names, C);
    }

    private void latency() {
        String name = add(
                "roce-write_lat",
                SMALL,
                Unit.MICROSECONDS,
                new Entrant(VERBENA, () -> new VerbenaPingPong(false, SMALL, mode(Progress.INLINE, 1024))),
                new Entrant(C, UdpProgram::pingPong),
                ucx("tag_lat", SMALL, 0, LATENCY_WARM_UPS));
        latencyRow(name, "C over UDP, busy polling", C, 1.5);
        latencyRow(name, "UCX over TCP, tag_lat", UCX, 1);
    }

    private void latencyRow(String name, String peer, String theirs, double most) {
        Candidate inline = new Candidate(name, Catalogue.word(Progress.INLINE), VERBENA, theirs);
        rows.add(new Row(OURS + "write_lat 8 B", peer, Unit.MICROSECONDS, Goal.atMost(most), List.of(inline)));
    }

    private void messageRate() {
        List<String> names = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            names.add(add(
                    "roce-write_rate-" + progress,
                    SMALL,
                    Unit.MILLIONS_PER_SECOND,
                    stream(Operation.WRITE, SMALL, progress, 1024),
                    new Entrant(C, () -> UdpProgram.stream(SMALL, 1024, true))));
        }
        row("Writes of 8 B", "C with GSO and GRO", Unit.MILLIONS_PER_SECOND, Goal.atLeast(0.4), names, C);
    }
}
