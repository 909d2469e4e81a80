package io.verbena.tools.command;

import io.verbena.host.system.Pinning;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Cores of this machine on the command line: {@code 3}, {@code 0-3}.
 *
 * @param text as it was written
 * @param set the cores
 */
public record Cores(String text, BitSet set) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    /** Binds the calling thread to the cores until the result is closed. */
    public Pin pin() {
        BitSet before = Pinning.cores();
        Pinning.pin(set);
        return () -> Pinning.pin(before);
    }

    /** The binding of a thread. */
    public interface Pin extends AutoCloseable {
        @Override
        void close();
    }

    /** Parses cores. */
    public static final class Converter implements ITypeConverter<Cores> {
        @Override
        public Cores convert(String text) {
            Matcher form = FORM.matcher(text.strip());
            if (form.matches()) {
                int first = Integer.parseInt(form.group(1));
                int last = form.group(2) == null ? first : Integer.parseInt(form.group(2));
                if (first <= last) {
                    BitSet cores = new BitSet();
                    cores.set(first, last + 1);
                    return new Cores(text.strip(), cores);
                }
            }
            throw new TypeConversionException("'" + text + "' is not a core such as 3 or cores such as 0-3");
        }
    }
}
