package io.verbena.citation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An RFC as {@code docs/rfc} knows it.
 *
 * @param number for example 5041
 * @param title the first line of its list
 * @param sections all section numbers, in the order of the document
 * @param musts in the order of the document
 */
record Rfc(int number, String title, SequencedSet<String> sections, List<Must> musts) {
    private static final Pattern LINE = Pattern.compile("(\\S+) ([1-9]\\d*) \\| ([^|]+?)(?: \\| ([^|]+))?");
    private static final Pattern ASIDE = Pattern.compile("application|n/a: \\S.*");

    /** The RFCs of {@code sections.txt} with their lists; what is wrong with these goes to {@code faults}. */
    static TreeMap<Integer, Rfc> readAll(Path folder, List<String> faults) throws IOException {
        TreeMap<Integer, Rfc> all = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("sections.txt"))) {
            if (!line.startsWith("#")) {
                int colon = line.indexOf(':');
                int number = Integer.parseInt(line.substring(0, colon));
                List<String> sections =
                        Arrays.asList(line.substring(colon + 1).strip().split(" "));
                String file = "rfc" + number + ".txt";
                all.put(number, read(number, sections, file, Files.readAllLines(folder.resolve(file)), faults));
            }
        }
        return all;
    }

    static Rfc read(int number, List<String> sections, String file, List<String> lines, List<String> faults) {
        List<Must> musts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (line.matches()) {
                String aside = line.group(4) == null ? "" : line.group(4);
                Must must = new Must(line.group(1), Integer.parseInt(line.group(2)), line.group(3), aside);
                fault(must, musts, sections).ifPresent(new At(file, i + 1, faults)::add);
                musts.add(must);
            } else if (!lines.get(i).startsWith("# ")) {
                new At(file, i + 1, faults).add("not of the form <section> <ordinal> | <text> [| <aside>]");
            }
        }
        String title = lines.isEmpty() ? "" : lines.getFirst().substring(2);
        return new Rfc(number, title, new LinkedHashSet<>(sections), List.copyOf(musts));
    }

    private record At(String file, int line, List<String> faults) {
        void add(String what) {
            faults.add("docs/rfc/" + file + ":" + line + ": " + what);
        }
    }

    private static Optional<String> fault(Must must, List<Must> before, List<String> sections) {
        boolean first = before.isEmpty() || !before.getLast().section().equals(must.section());
        int expected = first ? 1 : before.getLast().ordinal() + 1;
        if (!sections.contains(must.section())) {
            return Optional.of("sections.txt has no section " + must.section());
        }
        if (first
                && !before.isEmpty()
                && sections.indexOf(must.section())
                        < sections.indexOf(before.getLast().section())) {
            return Optional.of("section " + must.section() + " comes too late");
        }
        if (must.ordinal() != expected) {
            return Optional.of("ordinal " + must.ordinal() + " where " + expected + " is next");
        }
        if (!must.ours() && !ASIDE.matcher(must.aside()).matches()) {
            return Optional.of("the third column is 'application' or 'n/a: <reason>'");
        }
        return Optional.empty();
    }

    /** The MUSTs of just this section. */
    List<Must> musts(String section) {
        return musts.stream().filter(must -> must.section().equals(section)).toList();
    }
}
