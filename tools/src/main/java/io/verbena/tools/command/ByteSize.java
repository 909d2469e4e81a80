package io.verbena.tools.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 64}, {@code 32k}, {@code 8MiB}, {@code 1.5G}; units are powers of 1024. */
public final class ByteSize implements ITypeConverter<Long> {

    private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([kmgt]?)(?:i?b)?");
    private static final String UNITS = "kmgt";

    @Override
    public Long convert(String text) {
        Matcher size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("'" + text + "' is not a size such as 4096, 32k, 8MiB or 1.5G");
        }
        String unit = size.group(2);
        double factor = unit.isEmpty() ? 1 : Math.pow(1024, UNITS.indexOf(unit) + 1.0);
        double bytes = Double.parseDouble(size.group(1)) * factor;
        if (bytes > 1L << 50) {
            throw new TypeConversionException("'" + text + "' is more than 1024 TiB");
        }
        return Math.round(bytes);
    }
}
