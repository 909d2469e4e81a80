package io.verbena.bench.tcp;

import io.verbena.bench.tcp.Table.Bound;
import io.verbena.tools.holes.FrameStarts;
import io.verbena.tools.holes.HolePath;
import io.verbena.tools.holes.HoleResult;
import io.verbena.tools.holes.HoleRun;

/**
 * What reordering and loss cost a receiver: one that places on arrival, and the same engine when it cannot, because it does not know where
 * frames start. Virtual time and equal seeds, so the figures are exact; only processor time is measured.
 */
final class HoleRows {

    private static final int KIB = 1024;
    private static final int ROUNDS = 200;
    private static final int WRITE_BYTES = 64 * KIB;

    private final Table table;
    private final int pairs;

    HoleRows(Table table, int pairs) {
        this.table = table;
        this.pairs = pairs;
    }

    void run() {
        rows();
        for (int warmUp = 0; warmUp < 2; warmUp++) {
            result(0, FrameStarts.MARKERS);
            result(0, FrameStarts.LENGTHS);
            result(0, FrameStarts.GUESSES);
        }
        for (int seed = 1; seed <= pairs; seed++) {
            sample("markers", seed, FrameStarts.MARKERS);
            sample("lengths", seed, FrameStarts.LENGTHS);
            sample("guesses", seed, FrameStarts.GUESSES);
        }
    }

    private static HoleResult result(long seed, FrameStarts starts) {
        return new HoleRun(HolePath.of(seed).withStarts(starts), ROUNDS, WRITE_BYTES).run();
    }

    private void sample(String name, long seed, FrameStarts starts) {
        HoleResult r = result(seed, starts);
        table.sample(name + ": placed", r.takenAtOnce());
        table.sample(name + ": copied", r.copiesPerByte());
        table.sample(name + ": buffered", r.kept().mostKeptBytes() / (double) KIB);
        table.sample(name + ": waiting", r.waitingCopiesPerByte());
        table.sample(name + ": held", r.inOrder().mostWaitingBytes() / (double) KIB);
        table.sample(name + ": scraps", r.figures().mostScrapBytes() / (double) KIB);
        table.sample(name + ": tables", r.figures().mostTableBytes() / (double) KIB);
        table.sample(name + ": time", r.traffic().durationNs() / 1e6);
    }

    private void rows() {
        row("markers: share of the bytes after holes placed at once", "", "markers: placed", Bound.AT_LEAST, 0.99);
        row("markers: copied more than in order", "B/B", "markers: copied", Bound.AT_MOST, 0.02);
        row("a receiver that waits: copied more than in order", "B/B", "markers: waiting", Bound.AT_MOST, Double.NaN);
        row("a receiver that waits: buffered at most", "KiB", "markers: held", Bound.AT_MOST, Double.NaN);
        row("markers: scraps at most", "KiB", "markers: scraps", Bound.AT_MOST, 64);
        row("markers: tables at most", "KiB", "markers: tables", Bound.AT_MOST, 64);
        row("no markers, lengths only: placed at once", "", "lengths: placed", Bound.AT_LEAST, Double.NaN);
        row("no markers, lengths only: copied more", "B/B", "lengths: copied", Bound.AT_MOST, Double.NaN);
        row("no markers, lengths only: buffered at most", "KiB", "lengths: buffered", Bound.AT_MOST, Double.NaN);
        row("no markers, guesses: placed at once", "", "guesses: placed", Bound.AT_LEAST, Double.NaN);
        row("no markers, guesses: copied more", "B/B", "guesses: copied", Bound.AT_MOST, Double.NaN);
        row("no markers, guesses: buffered at most", "KiB", "guesses: buffered", Bound.AT_MOST, Double.NaN);
        table.row(
                "time of the transfer, beside no early placement and no markers",
                "ms",
                "markers: time",
                "lengths: time",
                Bound.AT_MOST,
                Double.NaN);
    }

    private void row(String title, String unit, String name, Bound bound, double goal) {
        table.row(title, unit, name, "", bound, goal);
    }
}
