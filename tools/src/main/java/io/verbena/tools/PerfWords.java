package io.verbena.tools;

import static io.verbena.tools.command.UsageProblem.check;
import static java.util.stream.Collectors.joining;

import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfPicture;
import io.verbena.verbs.RnicOptions;
import java.util.Arrays;
import java.util.List;

/** The words of {@code verbena perf}: the operations that a user names, and what its pictures say of a measurement. */
final class PerfWords {

    private PerfWords() {}

    /** The operations that the arguments of a client name. */
    static List<PerfOp> operations(List<String> words) throws UsageProblem {
        check(!words.isEmpty(), "perf needs an operation such as write_lat or all, or --server");
        List<PerfOp> ops = PerfOp.named(words.getFirst());
        check(
                !ops.isEmpty(),
                "There is no operation '" + words.getFirst() + "'; use one of "
                        + Arrays.stream(PerfOp.values()).map(PerfOp::word).collect(joining(", ")) + " or all");
        check(
                words.size() == 1 || PerfOp.named(words.get(1)).isEmpty(),
                "Separate several operations by commas: " + String.join(",", words));
        return ops;
    }

    /** The circumstances of measurements, without the server. */
    static String circumstances(RnicOptions options, String load, List<PerfPicture.Measured> charted) {
        return "CRC " + (options.iwarp().crc() ? "on" : "off") + ", markers "
                + (options.iwarp().markers() ? "on" : "off") + "; " + load + "; "
                + charted.stream()
                        .map(PerfPicture.Measured::result)
                        .map(result -> (result.op().latency() ? "latency " : "bandwidth ")
                                + (result.inline() ? "INLINE" : "by engine thread"))
                        .distinct()
                        .collect(joining(", "));
    }
}
