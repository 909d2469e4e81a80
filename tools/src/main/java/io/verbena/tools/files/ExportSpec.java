package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One file that a server is to offer.
 *
 * @param name by which clients ask for it; never a path
 * @param file where it is
 * @param writable whether clients may store into it
 * @param capacity writable: most bytes that it takes; empty for as many as it has
 */
public record ExportSpec(String name, Path file, boolean writable, OptionalLong capacity) {

    private static final Pattern FORM =
            Pattern.compile("(?:([^=/]+)=)?(.+?)(?::(rw|ro)(?::([^:/]*))?)?", Pattern.DOTALL);

    /**
     * Reads {@code [NAME=]FILE[:rw[:SIZE]]}. A file whose own name holds {@code =} is written with a folder in front.
     *
     * @param size reads a size
     * @throws Failure when it is none, with a sentence
     */
    public static ExportSpec parse(String text, ToLongFunction<String> size) throws Failure {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new Failure("'" + text + "' is no export: write [NAME=]FILE[:rw[:SIZE]]");
        }
        boolean writable = "rw".equals(form.group(3));
        if (form.group(4) != null && !writable) {
            throw new Failure("'" + text + "' gives a size to a file that is not for writing: write FILE:rw:SIZE");
        }
        Path file = path(form.group(2));
        Path last = file.getFileName();
        String name = form.group(1) != null ? form.group(1) : last == null ? "" : last.toString();
        OptionalLong capacity =
                form.group(4) == null ? OptionalLong.empty() : OptionalLong.of(size.applyAsLong(form.group(4)));
        return new ExportSpec(checked(name), file, writable, capacity);
    }

    private static Path path(String text) throws Failure {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new Failure("'" + text + "' cannot be a file: " + e.getReason(), e);
        }
    }

    /** A client puts the name behind a folder of its own, so it must not lead out of it. */
    static String checked(String name) throws Failure {
        boolean plain = !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.chars().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c))
                && name.getBytes(StandardCharsets.UTF_8).length <= FileMessage.MAX_NAME_BYTES;
        if (!plain) {
            throw new Failure("'" + name + "' cannot be the name of a file that is offered: names are 1 to "
                    + FileMessage.MAX_NAME_BYTES
                    + " bytes without slashes and control characters; NAME=FILE gives one");
        }
        return name;
    }
}
