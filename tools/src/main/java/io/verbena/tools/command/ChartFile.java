package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;

/**
 * The file of option {@code --svg}, into which a command writes its chart.
 *
 * @param path where it is
 */
public record ChartFile(Path path) {

    /** Creates one for an argument of the command line. */
    public static final class Converter implements ITypeConverter<ChartFile> {
        @Override
        public ChartFile convert(String argument) {
            return new ChartFile(new FileName().convert(argument));
        }
    }

    /** Fails where {@link #write} would fail, for a command that takes long before it writes. */
    public void checkWritable() throws Failure {
        Path folder = path.toAbsolutePath().getParent();
        if (Files.isDirectory(path) || folder == null || !Files.isDirectory(folder)) {
            throw new Failure("Cannot write the chart to '" + path + "': name a file in an existing folder");
        }
        if (!Files.isWritable(Files.exists(path) ? path : folder)) {
            throw new Failure("Cannot write the chart to '" + path + "': permission denied");
        }
    }

    public void write(String svg) throws Failure {
        checkWritable();
        try {
            Files.writeString(path, svg);
        } catch (IOException e) {
            throw new Failure("Cannot write the chart to '" + path + "': " + Problems.sentence(e), e);
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
