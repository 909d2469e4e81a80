package io.verbena.citation;

/**
 * A place in the sources that names a section of an RFC.
 *
 * @param file relative to the root of the repository, with slashes
 * @param line from 1
 * @param rfc for example 5041
 * @param section for example {@code 7.1}
 * @param ordinal the MUST of that section, or {@link #WHOLE_SECTION}
 */
record Citation(String file, int line, int rfc, String section, int ordinal) {
    /** The citation names no MUST: it stands for all of its section, not for those of its subsections. */
    static final int WHOLE_SECTION = 0;

    boolean byTest() {
        return file.contains("/src/test/");
    }

    boolean covers(int number, Must must) {
        boolean names = ordinal == must.ordinal() || ordinal == WHOLE_SECTION;
        return rfc == number && section.equals(must.section()) && names;
    }

    String place() {
        return file.substring(file.lastIndexOf('/') + 1) + ":" + line + (ordinal == WHOLE_SECTION ? " (section)" : "");
    }
}
