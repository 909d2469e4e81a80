package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Option {@code --svg}. */
public final class ChartArgument {

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            converter = ChartFile.Converter.class,
            description = "Draw the result into this file, as SVG.")
    private Optional<ChartFile> svg = Optional.empty();

    /** The file, if the option was given. */
    public Optional<ChartFile> file() {
        return svg;
    }

    /** Fails where {@link #write} would fail, for a command that takes long before it writes. */
    public void checkWritable() throws Failure {
        if (svg.isPresent()) {
            svg.get().checkWritable();
        }
    }

    /** Draws and writes, if the option was given. */
    public void write(Supplier<String> drawing) throws Failure {
        if (svg.isPresent()) {
            svg.get().write(drawing.get());
        }
    }
}
