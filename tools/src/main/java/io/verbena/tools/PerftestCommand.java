package io.verbena.tools;

import static io.verbena.tools.UsageProblem.check;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeProgram;
import io.verbena.tools.perftest.Perftest;
import io.verbena.tools.perftest.PerftestOp;
import io.verbena.tools.perftest.PerftestResult;
import io.verbena.tools.perftest.PerftestSettings;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena perftest}: both roles of the programs of perftest. */
@Command(
        name = "perftest",
        customSynopsis = {"verbena perftest OP [OPTIONS] HOST", "  or:  verbena perftest OP [OPTIONS]      (server)"},
        description = {
            "Measure against a program of perftest, such as ib_write_bw: either side may be the Linux program.",
            "",
            "OP is write_bw, read_bw, send_bw, write_lat, read_lat or send_lat. Both sides need the same OP, size and number of"
                    + " messages, and the Linux program needs a GID (-x). The sides exchange their addresses over TCP and"
                    + " connect one queue pair by hand, without a connection manager. Without HOST the command is the"
                    + " server: it waits for one client. 'verbena perf' measures Verbena against itself.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena perftest write_bw -a 192.0.2.7        server",
            "  verbena perftest write_bw 192.0.2.7           client: 5000 Writes of 64 KiB",
            "  ib_write_bw -d rxe0 -x 1 192.0.2.7            Linux's client, against a Verbena server",
            "  verbena perftest send_lat 192.0.2.7 -s 8 -n 1000 --inline --json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the measurement is complete",
            "1:the exchange of addresses or a message failed",
            "2:wrong arguments"
        })
final class PerftestCommand extends ExchangeCommand<PerftestSettings, PerftestResult> {

    private static final int BANDWIDTH_BYTES = 65_536;
    private static final int LATENCY_BYTES = 2;
    private static final long BANDWIDTH_MESSAGES = 1000;
    private static final long WRITES = 5000;
    private static final int MOST_DEPTH = 1 << 15;

    @Parameters(index = "0", paramLabel = "OP", description = "What to measure.")
    private String word = "";

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Length of a message. Default: 64 KiB for a bandwidth, 2 bytes for a latency.")
    private Optional<Long> size = Optional.empty();

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description = "Number of messages. Default: 5000 for write_bw, else 1000.")
    private Optional<Long> iterations = Optional.empty();

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Bandwidth: maximum number of messages under way. Default: ${DEFAULT-VALUE}.")
    private int depth = 128;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Number of receives posted at a time. Default: ${DEFAULT-VALUE}.")
    private int receiveDepth = 512;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096; the smaller one of both sides is used. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int mtuBytes = 1024;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "N",
            defaultValue = "16",
            description = "Maximum number of Reads under way. Default: ${DEFAULT-VALUE}.")
    private int reads = 16;

    PerftestCommand(Terminal terminal, StopSignal stop) {
        super(terminal, stop);
    }

    @Override
    void report(PerftestResult result, JsonObject figures) {
        figures.put("iterations", result.iterations());
        String what = Figures.count(result.iterations()) + " messages of " + Figures.bytes(result.bytes());
        if (result.bytesPerSecond() > 0) {
            figures.put("bytesPerSecond", result.bytesPerSecond())
                    .put("messagesPerSecond", result.bytesPerSecond() / result.bytes());
            tell(what + ": " + Figures.bytesPerSecond(result.bytesPerSecond()) + ".");
        } else if (result.latencies().isPresent() && result.latencies().get().count() > 0) {
            figures.put("latencyNs", result.latencies().get().json());
            tell(what + ": " + result.latencies().get().sentence() + ".");
        } else {
            tell(what + ".");
        }
    }

    @Override
    void checkArguments() throws UsageProblem {
        op();
        checkMtu(mtuBytes);
        check(depth >= 1 && depth <= MOST_DEPTH, "--tx-depth must be 1 to 32768, not " + depth);
        check(receiveDepth >= 1 && receiveDepth <= MOST_DEPTH, "--rx-depth must be 1 to 32768, not " + receiveDepth);
        check(reads >= 1 && reads <= 128, "--outs must be 1 to 128, not " + reads);
        check(
                size.isEmpty() || size.get() >= 1 && size.get() <= MOST_BYTES,
                "--size must be 1 byte to 1 GiB, not " + size.orElse(0L));
        check(iterations.isEmpty() || iterations.get() >= 1, "--iters must be 1 or more, not " + iterations.orElse(0L));
    }

    @Override
    PerftestSettings settings(InetAddress local, Duration timeout, JsonObject figures) throws UsageProblem {
        PerftestOp op = op();
        int bytes = size.map(Math::toIntExact).orElse(op.latency() ? LATENCY_BYTES : BANDWIDTH_BYTES);
        figures.put("op", op.word()).put("size", bytes);
        return new PerftestSettings(
                op,
                bytes,
                iterations.orElse(op == PerftestOp.WRITE_BW ? WRITES : BANDWIDTH_MESSAGES),
                depth,
                receiveDepth,
                mtuBytes,
                reads,
                timeout,
                local);
    }

    private PerftestOp op() throws UsageProblem {
        return PerftestOp.named(word)
                .orElseThrow(() -> new UsageProblem("There is no operation '" + word
                        + "'; use write_bw, read_bw, send_bw, write_lat, read_lat or send_lat"));
    }

    @Override
    ExchangeProgram<PerftestResult> open(Rnic rnic, PerftestSettings settings) {
        return new Perftest(rnic, settings, stop, terminal::say);
    }

    @Override
    String linuxProgram() {
        return "ib_" + word;
    }

    @Override
    String thisProgram() {
        return "perftest " + word;
    }

    @Override
    String stopped() {
        return "Stopped before the end";
    }
}
