package io.verbena.tools.command;

import static java.util.stream.Collectors.joining;

import io.verbena.files.failure.FileServiceException;
import io.verbena.text.PeerText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports each error as one sentence on standard error and an exit code. */
public final class Problems implements IParameterExceptionHandler, IExecutionExceptionHandler {

    private static final int MOST_SUGGESTIONS = 3;

    private final Terminal terminal;

    public Problems(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public int handleParseException(ParameterException problem, String[] arguments) {
        String sentence = ended(oneLine(misunderstanding(problem)));
        usage(problem.getCommandLine(), sentence);
        if (wantsJson(arguments)) {
            terminal.out().println(new JsonObject().put("ok", false).put("error", sentence));
            terminal.out().flush();
        }
        return ExitCode.USAGE;
    }

    /** A program that reads --json gets an object even if no command was found. */
    private static boolean wantsJson(String[] arguments) {
        return Arrays.stream(arguments)
                .takeWhile(argument -> !argument.equals("--"))
                .anyMatch("--json"::equals);
    }

    private static String misunderstanding(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched) {
            String argument = unmatched.getUnmatched().getFirst();
            boolean root = problem.getCommandLine().getParent() == null;
            String kind = unmatched.isUnknownOption()
                    ? "Unknown option: '"
                    : root ? "Unknown command: '" : "Unmatched argument: '";
            String similar = unmatched.isUnknownOption()
                    ? unmatched.getSuggestions().stream()
                            .limit(MOST_SUGGESTIONS)
                            .collect(joining("' or '"))
                    : Similar.to(argument, commands(problem.getCommandLine())).orElse("");
            return kind + argument + "'" + (similar.isEmpty() ? "" : "; did you mean '" + similar + "'?");
        }
        return Objects.requireNonNullElse(problem.getMessage(), "The arguments are not understood")
                .replaceFirst("is not an? (int|long)$", "is not a whole number")
                .replaceFirst("is not a double$", "is not a number");
    }

    private static List<String> commands(CommandLine parent) {
        return parent.getSubcommands().entrySet().stream()
                .filter(entry ->
                        !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public int handleExecutionException(Exception problem, CommandLine command, ParseResult parsed) {
        if (terminal.debug() || command.getParseResult().hasMatchedOption("--debug")) {
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace));
            terminal.err().println(PeerText.shownLines(trace.toString()));
        }
        if (problem instanceof UsageProblem) {
            usage(command, sentence(problem));
            return ExitCode.USAGE;
        }
        terminal.say(name(command) + ": " + sentence(problem));
        return problem instanceof StopSignal.Stopped ? ExitCode.STOPPED : ExitCode.FAILED;
    }

    private void usage(CommandLine command, String sentence) {
        terminal.say(name(command) + ": " + ended(oneLine(sentence)) + " Try '" + name(command) + " --help'.");
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    /** The sentence that reports an error to a person. */
    public static String sentence(Throwable problem) {
        String message = oneLine(Objects.requireNonNullElse(problem.getMessage(), ""));
        return switch (problem) {
            case Failure failure -> ended(message);
            case StopSignal.Stopped stopped -> ended(message);
            case FileServiceException files -> ended(message);
            case UsageProblem usage -> ended(message);
            case ConnectionException connection -> ended(message);
            case VerbsException verbs -> ended(message);
            case NoSuchFileException file -> "There is no file '" + message + "'.";
            case AccessDeniedException file -> "Cannot use the file '" + message + "': permission denied.";
            case FileAlreadyExistsException file -> "The file '" + message + "' exists already; name a new one.";
            case FileSystemException file
            when file.getReason() != null ->
                "Cannot use the file '" + Objects.requireNonNullElse(file.getFile(), "") + "': "
                        + ended(file.getReason());
            case UncheckedIOException io when io.getCause() != null -> sentence(io.getCause());
            case IOException io -> ended(message.isEmpty() ? io.getClass().getSimpleName() : message);
            case IllegalArgumentException argument when !message.isEmpty() -> ended(message);
            case UnsupportedOperationException lacking when !message.isEmpty() -> ended(message);
            default ->
                "Internal error: "
                        + ended(problem.getClass().getSimpleName() + (message.isEmpty() ? "" : ": " + message))
                        + " Run the command again with --debug for the stack trace.";
        };
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static String ended(String text) {
        return text.isEmpty() || ".!?".indexOf(text.charAt(text.length() - 1)) >= 0 ? text : text + ".";
    }
}
