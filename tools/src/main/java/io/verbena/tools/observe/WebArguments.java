package io.verbena.tools.observe;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.UsageProblem;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.Stack;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option that shows the RNICs of a command in a browser. */
public final class WebArguments {

    private static final int NONE = -1;

    /** Takes the next word if it is a number, so that a word that follows the option without a port remains what it is. */
    public static final class Port implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
            boolean given = !words.isEmpty() && words.peek().matches("[0-9]{1,9}");
            option.setValue(given ? Integer.parseInt(words.pop()) : 0);
        }
    }

    @Option(
            names = "--web",
            paramLabel = "PORT",
            arity = "0..1",
            parameterConsumer = Port.class,
            description = "Show the RNICs live in a browser, at this port of the loopback address or at a free one; the"
                    + " address, which contains a secret, is printed. The page changes nothing.")
    private int port = NONE;

    /** Whether a page was asked for. */
    public boolean wanted() {
        return port != NONE;
    }

    /** Shows figures in a page until the result is closed, if one was asked for. */
    public AutoCloseable page(Supplier<List<Figures>> processes, Consumer<String> note) throws Failure, UsageProblem {
        checkPort();
        if (!wanted()) {
            return () -> {};
        }
        try {
            WebServer server = WebServer.open(PageOptions.loopback(port), processes);
            note.accept("Live view: " + server.address());
            return server;
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another port with --web.", e);
        }
    }

    private void checkPort() throws UsageProblem {
        UsageProblem.check(port <= 65_535, "--web must be a port from 0 to 65535, not " + port);
    }

    /** Shows RNICs until the result is closed; their figures are also visible to 'verbena web' and 'verbena top'. */
    public Observation observe(String command, List<Rnic> rnics, Consumer<String> note) throws Failure, UsageProblem {
        return observe(command, rnics, List::of, note);
    }

    /** The same, with figures of what the command does with the RNICs. */
    public Observation observe(String command, List<Rnic> rnics, Supplier<List<Figures>> beyond, Consumer<String> note)
            throws Failure, UsageProblem {
        checkPort();
        try {
            OptionalInt page = !wanted() ? OptionalInt.empty() : OptionalInt.of(port);
            Observation observation = Observation.of("verbena " + command, rnics, beyond, page, note);
            observation.address().ifPresent(address -> note.accept("Live view: " + address));
            return observation;
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another port with --web.", e);
        }
    }
}
