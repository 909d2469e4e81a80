package io.verbena.tools.command;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.LocalName;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts an argument to the name of a file, the same for all commands. */
public final class FileName implements ITypeConverter<Path> {

    @Override
    public Path convert(String argument) {
        if (argument.isEmpty()) {
            throw new TypeConversionException("the name of a file is empty");
        }
        try {
            return LocalName.path(argument);
        } catch (FileServiceException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
