package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.FlitType;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.fabric.Transaction;
import io.verbena.tools.fabric.Transaction.Flit;
import io.verbena.tools.fabric.Transaction.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example transactions: a message, its frames, and its flits. */
class FabricExplainCommandTest {

    @TempDir
    Path directory;

    /** F9: two frames of four flits cross three links; one flit of a link acknowledges several; acknowledgements are one flit. */
    @Test
    void f9_message_isSentAsFramesAndFlits_andAcknowledgedOnBothLevels() {
        Transaction transaction = Transaction.run(Transaction.Setting.DEFAULT);
        assertEquals(2, transaction.frames().size());
        assertEquals(List.of(0, 1), partsOf(transaction, 0));
        assertEquals(List.of(1, 2, 3), partsOf(transaction, 1));
        for (int link = 0; link < 3; link++) {
            assertEquals(IntStream.range(0, 8).boxed().toList(), numbers(transaction, link, link + 1, Purpose.REQUEST));
            assertEquals(List.of(0, 1), numbers(transaction, link + 1, link, Purpose.ACKNOWLEDGEMENT));
            int sender = link;
            Flit answer = transaction.flits().stream()
                    .filter(flit ->
                            flit.hop().from() == sender + 1 && flit.hop().to() == sender)
                    .max(Comparator.comparingInt(flit -> flit.sent().numbers().acknowledgement()))
                    .orElseThrow();
            assertEquals(8, answer.sent().numbers().acknowledgement(), "link " + link);
        }
        // Each frame is acknowledged when it has arrived, and the completion is the last acknowledgement.
        assertEquals(
                List.of("0 false", "1 false", "0 true", "1 true"),
                transaction.passages().stream()
                        .sorted(Comparator.comparingDouble(Transaction.Passage::arrivedNs))
                        .map(passage -> passage.frame() + " " + passage.acknowledgement())
                        .toList());
    }

    private static List<Integer> partsOf(Transaction transaction, int frame) {
        return transaction.frames().get(frame).pieces().stream()
                .map(Transaction.Piece::part)
                .toList();
    }

    private static List<Integer> numbers(Transaction transaction, int from, int to, Purpose purpose) {
        return transaction.flits().stream()
                .filter(flit -> flit.hop().from() == from && flit.hop().to() == to && flit.purpose() == purpose)
                .map(Flit::number)
                .toList();
    }

    /** Whatever is damaged, each link carries each flit intact once in the end, under its own name. */
    @Test
    void f9_damagedFlits_areSentAgain() {
        Set<Integer> damaged = new HashSet<>();
        for (int seed = 1; seed <= 50; seed++) {
            Transaction transaction =
                    Transaction.run(new Transaction.Setting(List.of(300, 1, 700), 256, .2, seed, AdapterKind.HOST));
            int flits = transaction.frames().stream()
                    .mapToInt(Transaction.Frame::flits)
                    .sum();
            for (int link = 0; link < 3; link++) {
                int from = link;
                List<Integer> intact = transaction.flits().stream()
                        .filter(flit -> flit.hop().from() == from && flit.purpose() == Purpose.REQUEST)
                        .filter(flit -> flit.sent().type() == FlitType.DATA
                                && !flit.sent().damaged())
                        .map(Flit::number)
                        .distinct()
                        .sorted()
                        .toList();
                assertEquals(IntStream.range(0, flits).boxed().toList(), intact, "seed " + seed + ", link " + link);
            }
            transaction.flits().stream()
                    .filter(flit -> flit.sent().damaged())
                    .forEach(flit -> damaged.add(flit.number()));
        }
        assertTrue(damaged.size() > 10, damaged::toString);
    }

    @Test
    void explain_text_showsTheGatherListFramesAndFlits() {
        CliRun run = CliRun.of("fabric", "explain");
        assertEquals(0, run.code(), run.err());
        assertTrue(
                run.out().contains("frame 0  RC_SEND_FIRST, 250 bytes: LRH 8, BTH 12, part 0 [0..160), part 1 [0..64)"),
                run.out());
        assertTrue(run.out().contains("SANIC A  <-- switch 1   link: flits before number 8 have arrived"), run.out());
        assertTrue(
                run.out().contains("switch 2 <-- SANIC B    acknowledgement of frame 1, 30 bytes in one flit"),
                run.out());
    }

    @Test
    void f10_lowEndReceiver_acknowledgesBySoftware_andTheLayersAreShown() {
        CliRun host = CliRun.of("fabric", "explain");
        CliRun lowEnd = CliRun.of("fabric", "explain", "--receiver", "low-end");
        assertEquals(0, lowEnd.code(), lowEnd.err());
        assertTrue(
                host.out().contains("transport             hardware              hardware   frames with"), host.out());
        assertTrue(
                lowEnd.out().contains("transport             hardware              software   frames with"),
                lowEnd.out());
        assertTrue(lowEnd.out().contains("network               hardware   hardware   software "), lowEnd.out());
        for (double errors : new double[] {0, .2}) {
            double fast = completedNs(AdapterKind.HOST, errors);
            assertEquals(fast, completedNs(AdapterKind.IO, errors));
            // Two frames and their acknowledgements pass the software, one after the other.
            assertTrue(completedNs(AdapterKind.LOW_END, errors) > Math.max(fast, 4 * 1_200), fast + " ns");
        }
    }

    private static double completedNs(AdapterKind kind, double errors) {
        return Transaction.run(new Transaction.Setting(List.of(160, 120, 88, 80), 224, errors, 7, kind))
                .completedNs();
    }

    @Test
    void explain_errors_areShown() {
        CliRun run = CliRun.of("fabric", "explain", "--errors", "0.2", "--seed", "3");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("DAMAGED"), run.out());
        assertTrue(run.out().contains("asks for retransmission"), run.out());
    }

    @Test
    void documentation_showsTheTransaction() throws IOException {
        Path file = directory.resolve("message.svg");
        CliRun run = CliRun.of("fabric", "explain", "--svg", file.toString(), "--json");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().startsWith("{\"ok\":true,\"messageBytes\":448,\"frames\":2,"), run.out());
        assertEquals(
                Files.readString(Path.of("../docs/generated/fabric-message.svg")),
                Files.readString(file),
                "write it again: verbena fabric explain --svg docs/generated/fabric-message.svg");
        assertTrue(Files.readString(Path.of("../docs/fabric.md")).contains("(generated/fabric-message.svg)"));
    }

    @ParameterizedTest
    @CsvSource({"--parts, 0", "--parts, 5000", "--payload, 0", "--errors, 0.6", "--errors, -1"})
    void valueOutOfRange_isAWrongArgument(String option, String value) {
        CliRun run = CliRun.of("fabric", "explain", option, value);
        assertEquals(ExitCode.USAGE, run.code(), run.out());
        assertTrue(run.err().startsWith("verbena fabric explain: "), run.err());
    }
}
