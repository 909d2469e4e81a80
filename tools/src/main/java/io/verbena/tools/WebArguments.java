package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.observe.Observation;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The option that shows the RNICs of a command in a browser. */
final class WebArguments {

    @Option(
            names = "--web",
            paramLabel = "PORT",
            arity = "0..1",
            fallbackValue = "0",
            description = "Show the RNIC live in a browser, at this port of the loopback address or at a free one; the"
                    + " address, which contains a secret, is printed. The page changes nothing.")
    private Optional<Integer> port = Optional.empty();

    /** Shows RNICs until the result is closed; their figures are also visible to 'verbena web' and 'verbena top'. */
    Observation observe(String command, List<Rnic> rnics, Consumer<String> note) throws Failure, UsageProblem {
        UsageProblem.check(
                port.orElse(0) >= 0 && port.orElse(0) <= 65_535,
                "--web must be a port from 0 to 65535, not " + port.orElse(0));
        try {
            Observation made = Observation.of(
                    "verbena " + command, rnics, port.map(OptionalInt::of).orElse(OptionalInt.empty()));
            made.address().ifPresent(address -> note.accept("Live view: " + address));
            return made;
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another port with --web.", e);
        }
    }
}
