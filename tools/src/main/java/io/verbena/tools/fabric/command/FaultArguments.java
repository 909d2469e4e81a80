package io.verbena.tools.fabric.command;

import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Topology;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.Fault;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.NodeNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The faults that a command lets happen to a simulated fabric. */
final class FaultArguments {

    @Option(
            names = "--fault",
            paramLabel = "'TIME WHAT WHERE'",
            description = "Something fails or returns, TIME in microseconds since the traffic began: " + Fault.FORMS
                    + ". May be repeated.")
    private List<String> faults = new ArrayList<>();

    @Option(
            names = "--faults",
            paramLabel = "FILE",
            description = "Faults as with --fault, one per line; # begins a comment.")
    private Optional<Path> file = Optional.empty();

    /** The faults of a fabric. */
    FaultSchedule schedule(Topology topology, Wiring wiring) throws Failure, UsageProblem {
        List<String> lines = new ArrayList<>(faults);
        if (file.isPresent()) {
            try {
                lines.addAll(Files.readAllLines(file.get()));
            } catch (IOException e) {
                throw new Failure("Cannot read the faults in '" + file.get() + "': " + Problems.sentence(e), e);
            }
        }
        try {
            List<Fault> parsed = lines.stream()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .map(Fault::parse)
                    .toList();
            return new FaultSchedule(parsed, new NodeNames(topology, wiring), wiring);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem("--fault: " + e.getMessage());
        }
    }
}
