package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.FileMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The specification of a file to offer.
 *
 * @param name the name that clients use, never a path
 * @param file its path
 * @param writable whether clients may store into it
 * @param capacity maximum length of a store; empty for the length that the file has
 */
public record ExportSpec(String name, Path file, boolean writable, OptionalLong capacity) {

    private static final Pattern FORM =
            Pattern.compile("(?:([^=/]+)=)?(.+?)(?::(rw|ro)(?::([^:/]*))?)?", Pattern.DOTALL);

    /**
     * Parses {@code [NAME=]FILE[:rw[:SIZE]]}. A path that contains {@code =} in its name needs a folder in front.
     *
     * @param size parses a size
     * @throws FileServiceException if the text is not a specification
     */
    public static ExportSpec parse(String text, ToLongFunction<String> size) throws FileServiceException {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new FileServiceException("'" + text + "' is not a file to offer: write [NAME=]FILE[:rw[:SIZE]]");
        }
        boolean writable = "rw".equals(form.group(3));
        if (form.group(4) != null && !writable) {
            throw new FileServiceException("'" + text + "' gives a size to a read-only file: write FILE:rw:SIZE");
        }
        Path file = LocalName.path(form.group(2));
        Path last = file.getFileName();
        String name = form.group(1) != null ? form.group(1) : last == null ? "" : last.toString();
        OptionalLong capacity =
                form.group(4) == null ? OptionalLong.empty() : OptionalLong.of(size.applyAsLong(form.group(4)));
        return new ExportSpec(checked(name), file, writable, capacity);
    }

    /** A client appends the name to a folder of its own, so the name must not lead out of that folder. */
    static String checked(String name) throws FileServiceException {
        boolean plain = !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c))
                && name.getBytes(StandardCharsets.UTF_8).length <= FileMessage.MAX_NAME_BYTES;
        if (!plain) {
            throw new FileServiceException("'" + name + "' cannot be the name of an offered file: a name has 1 to "
                    + FileMessage.MAX_NAME_BYTES
                    + " bytes and no slashes or control characters; use NAME=FILE to set another name");
        }
        return name;
    }
}
