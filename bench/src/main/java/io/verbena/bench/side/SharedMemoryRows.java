package io.verbena.bench.side;

import io.verbena.bench.side.Experiment.Entrant;
import io.verbena.bench.side.Row.Candidate;
import io.verbena.bench.side.VerbenaStream.Operation;
import io.verbena.bench.side.peer.AeronPingPong;
import io.verbena.bench.side.peer.AeronStream;
import io.verbena.bench.side.peer.MpiProgram;
import io.verbena.bench.side.peer.MpiRanks;
import io.verbena.bench.side.peer.UcxPerftest;
import io.verbena.verbs.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rows of the provider shm, beside what others reach between two processes through shared memory, and beside our TCP. */
final class SharedMemoryRows {

    private static final String VERBENA = Catalogue.VERBENA;
    private static final String TCP = "tcp";
    private static final String UCX_TAG = "ucx-tag";
    private static final String UCX_PUT = "ucx-put";
    private static final String UCX_AM = "ucx-am";
    private static final String OPEN_MPI = "open-mpi";
    private static final String MPICH = "mpich";
    private static final String AERON = "aeron";

    private static final String OURS = "shared memory: ";
    private static final String DIRECT = "shared memory, direct: ";
    private static final int SMALL = 8;
    private static final int MESSAGE = 64;
    private static final int KIBIBYTE = 1 << 10;
    private static final int LARGE = 64 << 10;
    private static final int HUGE = 1 << 20;
    private static final int WINDOW = 64;
    private static final int WARM_UPS = 10_000;
    private static final int LARGE_WARM_UPS = 1000;

    private final int socketBufferBytes;
    private final List<Experiment> experiments = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    SharedMemoryRows(int socketBufferBytes) {
        this.socketBufferBytes = socketBufferBytes;
        writeLatency();
        sendLatency();
        besideABusyProcess();
        messageRate(MESSAGE, Goal.atLeast(3));
        messageRate(KIBIBYTE, Goal.atLeast(1));
        bandwidth(LARGE, Goal.atLeast(2), Goal.atLeast(3));
        bandwidth(HUGE, Goal.atLeast(1), Goal.atLeast(2));
        directLatency();
        directBandwidth(LARGE);
        directBandwidth(HUGE);
    }

    List<Experiment> experiments() {
        return experiments;
    }

    List<Row> rows() {
        return rows;
    }

    private VerbenaPair.Mode mode(String provider, Progress progress, VerbenaPair.Trait... traits) {
        return new VerbenaPair.Mode(provider, progress, socketBufferBytes, traits);
    }

    private static Entrant ucx(String name, String test, int bytes, int window, int warmUps) {
        Map<String, String> environment = UcxPerftest.throughSharedMemory();
        return new Entrant(name, () -> new UcxPerftest(test, bytes, window, warmUps, environment));
    }

    private void writeLatency() {
        String name = "shm-write_lat";
        experiments.add(new Experiment(
                name,
                SMALL,
                Unit.MICROSECONDS,
                List.of(
                        pingPong(false, "shm"),
                        ucx(UCX_TAG, "tag_lat", SMALL, 0, WARM_UPS),
                        ucx(UCX_PUT, "ucp_put_lat", SMALL, 0, WARM_UPS))));
        String what = OURS + "write_lat " + Catalogue.size(SMALL);
        latencyRow(name, what, "UCX, tag_lat", UCX_TAG, Goal.atMost(1.2));
        latencyRow(name, what, "UCX, ucp_put_lat", UCX_PUT, Goal.atMost(2));
        String besideTcp = "shm-write_lat-tcp";
        experiments.add(new Experiment(
                besideTcp,
                SMALL,
                Unit.MICROSECONDS,
                List.of(
                        pingPong(false, "shm"),
                        new Entrant(TCP, pingPong(false, "iwarp").factory()))));
        latencyRow(besideTcp, what, "Verbena over TCP", TCP, Goal.atMost(1.0 / 8));
    }

    private Entrant pingPong(boolean sends, String provider, VerbenaPair.Trait... traits) {
        return new Entrant(VERBENA, () -> new VerbenaPingPong(sends, SMALL, mode(provider, Progress.INLINE, traits)));
    }

    /** Another process computes, so that the two sides have less than a processor each. */
    private void besideABusyProcess() {
        String name = "shm-send_lat-busy";
        experiments.add(new Experiment(
                name,
                SMALL,
                Unit.MICROSECONDS,
                List.of(
                        BesideBusyProcess.entrant(pingPong(true, "shm")),
                        BesideBusyProcess.entrant(ucx(UCX_TAG, "tag_lat", SMALL, 0, WARM_UPS)),
                        BesideBusyProcess.entrant(new Entrant(AERON, () -> new AeronPingPong(SMALL))))));
        String what = OURS + "send_lat " + Catalogue.size(SMALL) + ", beside a busy process";
        latencyRow(name, what, "UCX, tag_lat", UCX_TAG, Goal.atMost(1));
        latencyRow(name, what, "Aeron IPC", AERON, Goal.atMost(1));
    }

    private void sendLatency() {
        String name = "shm-send_lat";
        experiments.add(new Experiment(
                name,
                SMALL,
                Unit.MICROSECONDS,
                List.of(
                        pingPong(true, "shm"),
                        ucx(UCX_TAG, "tag_lat", SMALL, 0, WARM_UPS),
                        new Entrant(OPEN_MPI, () -> new MpiRanks(MpiProgram::openMpiShared, SMALL)),
                        new Entrant(MPICH, () -> new MpiRanks(MpiProgram::mpichShared, SMALL)),
                        new Entrant(AERON, () -> new AeronPingPong(SMALL)))));
        String what = OURS + "send_lat " + Catalogue.size(SMALL);
        latencyRow(name, what, "UCX, tag_lat", UCX_TAG, Goal.atMost(1.2));
        latencyRow(name, what, "Open MPI", OPEN_MPI, Goal.atMost(1));
        latencyRow(name, what, "MPICH", MPICH, Goal.atMost(1.2));
        latencyRow(name, what, "Aeron IPC", AERON, Goal.atMost(1));
    }

    private void latencyRow(String experiment, String what, String peer, String theirs, Goal goal) {
        rows.add(new Row(
                what, peer, Unit.MICROSECONDS, goal, List.of(new Candidate(experiment, "INLINE", VERBENA, theirs))));
    }

    private void messageRate(int bytes, Goal besideUcx) {
        List<Candidate> besideActive = new ArrayList<>();
        List<Candidate> besideAeron = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            String name = "shm-send_rate-" + bytes + "-" + progress;
            experiments.add(new Experiment(
                    name,
                    bytes,
                    Unit.MILLIONS_PER_SECOND,
                    List.of(
                            stream("shm", Operation.SEND, bytes, progress),
                            ucx(UCX_AM, "ucp_am_bw", bytes, 0, WARM_UPS),
                            new Entrant(AERON, () -> new AeronStream(bytes)))));
            besideActive.add(new Candidate(name, Catalogue.word(progress), VERBENA, UCX_AM));
            besideAeron.add(new Candidate(name, Catalogue.word(progress), VERBENA, AERON));
        }
        String what = OURS + "Sends of " + Catalogue.size(bytes);
        rows.add(new Row(what, "UCX, ucp_am_bw", Unit.MILLIONS_PER_SECOND, besideUcx, besideActive));
        rows.add(new Row(what, "Aeron IPC", Unit.MILLIONS_PER_SECOND, Goal.atLeast(1), besideAeron));
    }

    private void bandwidth(int bytes, Goal besideTag, Goal besideTcp) {
        List<String> names = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            String name = "shm-write_bw-" + bytes + "-" + progress;
            Entrant tcp = stream("iwarp", Operation.WRITE, bytes, progress);
            experiments.add(new Experiment(
                    name,
                    bytes,
                    Unit.GIGABYTES_PER_SECOND,
                    List.of(
                            stream("shm", Operation.WRITE, bytes, progress),
                            new Entrant(TCP, tcp.factory()),
                            ucx(UCX_TAG, "tag_bw", bytes, WINDOW, LARGE_WARM_UPS),
                            ucx(UCX_PUT, "ucp_put_bw", bytes, WINDOW, LARGE_WARM_UPS))));
            names.add(name);
        }
        bandwidthRow(names, bytes, "UCX, tag_bw", UCX_TAG, besideTag);
        bandwidthRow(
                names, bytes, "UCX, ucp_put_bw, which copies into the target's memory", UCX_PUT, Goal.atLeast(0.5));
        bandwidthRow(names, bytes, "Verbena over TCP", TCP, besideTcp);
    }

    private void bandwidthRow(List<String> names, int bytes, String peer, String theirs, Goal goal) {
        List<Candidate> candidates = new ArrayList<>();
        for (Progress progress : Progress.values()) {
            candidates.add(new Candidate(names.get(progress.ordinal()), Catalogue.word(progress), VERBENA, theirs));
        }
        rows.add(
                new Row(OURS + "write_bw " + Catalogue.size(bytes), peer, Unit.GIGABYTES_PER_SECOND, goal, candidates));
    }

    /** Without the engine of the target, as UCX puts. */
    private void directLatency() {
        String name = "shm-direct-write_lat";
        experiments.add(new Experiment(
                name,
                SMALL,
                Unit.MICROSECONDS,
                List.of(
                        pingPong(false, "shm", VerbenaPair.Trait.DIRECT),
                        ucx(UCX_PUT, "ucp_put_lat", SMALL, 0, WARM_UPS))));
        latencyRow(name, DIRECT + "write_lat " + Catalogue.size(SMALL), "UCX, ucp_put_lat", UCX_PUT, Goal.atMost(2));
    }

    private void directBandwidth(int bytes) {
        String name = "shm-direct-write_bw-" + bytes;
        VerbenaPair.Mode direct = mode("shm", Progress.INLINE, VerbenaPair.Trait.DIRECT);
        experiments.add(new Experiment(
                name,
                bytes,
                Unit.GIGABYTES_PER_SECOND,
                List.of(
                        new Entrant(VERBENA, () -> new VerbenaStream(Operation.WRITE, bytes, direct)),
                        ucx(UCX_PUT, "ucp_put_bw", bytes, WINDOW, LARGE_WARM_UPS))));
        rows.add(new Row(
                DIRECT + "write_bw " + Catalogue.size(bytes),
                "UCX, ucp_put_bw",
                Unit.GIGABYTES_PER_SECOND,
                Goal.atLeast(1),
                List.of(new Candidate(name, "INLINE", VERBENA, UCX_PUT))));
    }

    private Entrant stream(String provider, Operation operation, int bytes, Progress progress) {
        return new Entrant(VERBENA, () -> new VerbenaStream(operation, bytes, mode(provider, progress)));
    }
}
