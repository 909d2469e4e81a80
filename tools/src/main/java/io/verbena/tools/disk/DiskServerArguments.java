package io.verbena.tools.disk;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.UsageProblem;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a command that changes a running server. */
final class DiskServerArguments {
    @Option(
            names = "--server",
            paramLabel = "PID",
            description = "Process of the server; 'verbena disk list' shows them. Default: the only one.")
    private Optional<Long> pid = Optional.empty();

    /** Asks the server. */
    List<Map<String, String>> ask(DiskRequest request) throws IOException, Failure {
        return DiskControl.ask(pid, request);
    }

    /** Checks the number of a disk; 0 stands for none. */
    static void checkNumber(int namespace, int least) throws UsageProblem {
        UsageProblem.check(
                namespace >= least && namespace <= 256,
                "--disk must be the number of a disk, 1 to 256, not " + namespace);
    }
}
