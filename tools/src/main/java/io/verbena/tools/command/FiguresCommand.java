package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.JsonObject;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A command that reports figures, for people or as one JSON object on standard output. The object has the member {@code ok}
 * and, if that is false, {@code error}. It is printed even if the command fails.
 */
public abstract class FiguresCommand implements Callable<Integer> {

    protected final Terminal terminal;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    @Option(
            names = "--json",
            order = CommonArguments.LAST,
            description = "Print the figures as one JSON object on standard output.")
    protected boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    public FiguresCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * Runs the command. Adds to {@code figures} as they become known, and prints for people unless {@link #json} is set.
     *
     * @return whether the command succeeded
     */
    public abstract boolean run(JsonObject figures) throws Exception;

    @Override
    public final Integer call() throws Exception {
        JsonObject figures = new JsonObject().put("ok", false);
        try {
            boolean ok = runOrFail(figures);
            figures.put("ok", ok);
            return ok ? ExitCode.OK : ExitCode.FAILED;
        } catch (Exception e) {
            figures.put("error", Problems.sentence(e));
            throw e;
        } finally {
            if (json) {
                terminal.out().println(figures);
                terminal.out().flush();
            }
        }
    }

    private boolean runOrFail(JsonObject figures) throws Exception {
        try {
            boolean ok = run(figures);
            if (ok) {
                checkCapture();
            }
            return ok;
        } catch (OutOfMemoryError e) {
            throw new Failure("Not enough memory: " + e.getMessage(), e);
        }
    }

    private void checkCapture() throws Failure {
        OptionSpec option = spec.findOption("--capture");
        if (option != null
                && option.userObject() instanceof Field field
                && RnicArguments.class == field.getDeclaringClass()) {
            Optional<Path> file = option.getValue();
            if (file.isPresent()) {
                CaptureFile.checkComplete(file.get());
            }
        }
    }
}
