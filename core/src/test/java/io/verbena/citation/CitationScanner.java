package io.verbena.citation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the citations in Java sources: {@code RFC}, number, {@code section}, and a section number with or without the
 * ordinals of MUSTs in brackets; or {@code sections} and a list of those, with commas, "and" and "to". A line break
 * with the marks of a comment counts as a space. Citations of RFCs that have no list are passed over. A citation of a
 * place within a section (a rule, a figure; or SHOULD, MAY, note in the brackets) is checked and stands for no MUST.
 */
final class CitationScanner {
    private static final Pattern LINE_BREAK = Pattern.compile("\\R[ \\t]*(?:\\*(?!/)|//+)?");
    private static final Pattern START = Pattern.compile("\\bRFC\\s+(\\d{1,5}),?\\s+(sections?|[Aa]ppendix)(?=\\s)");
    private static final Pattern BARE = Pattern.compile("\\bRFC\\s+(\\d{1,5})\\s+\\d");
    private static final Pattern ITEM =
            Pattern.compile("\\s*(\\d+(?:\\.\\d+)*|[A-Z](?:\\.\\d+)*)(?![A-Za-z\\d])(?:\\s*\\[([^\\]]*)\\])?");
    private static final Pattern MORE = Pattern.compile("\\s*(,\\s+and|,|\\s+and|\\s+to)\\s+(?=\\d|[A-Z]\\.\\d)");
    private static final Pattern PLACE_WITHIN = Pattern.compile(",?\\s+\\(?(?:rules?|points?|notes?|Figs?\\.)(?=\\s)");
    private static final Pattern NO_MUST = Pattern.compile("SHOULD|MAY|note");
    private static final Pattern SECOND = Pattern.compile("\\s+(?:and|to)\\s+\\d");

    private final Map<Integer, Rfc> rfcs;
    private final List<Citation> citations = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();

    CitationScanner(Map<Integer, Rfc> rfcs) {
        this.rfcs = rfcs;
    }

    List<Citation> citations() {
        return citations;
    }

    /** Citations of what there is not, each with its place. */
    List<String> faults() {
        return faults;
    }

    /** Reads all Java sources below {@code root/module/src}, but for these of our own, which hold examples. */
    void scan(Path root, String module) throws IOException {
        Path sources = root.resolve(module).resolve("src");
        if (!Files.isDirectory(sources)) {
            return;
        }
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(CitationScanner::isRead).sorted().toList()) {
                scan(slashed(root.relativize(file)), Files.readString(file));
            }
        }
    }

    private static boolean isRead(Path file) {
        String name = slashed(file);
        return name.endsWith(".java") && !name.contains("/io/verbena/citation/");
    }

    private static String slashed(Path file) {
        return file.toString().replace('\\', '/');
    }

    void scan(String file, String source) {
        // As many spaces as there were characters, so that an offset still leads to its line.
        String text = LINE_BREAK
                .matcher(source)
                .replaceAll(found -> " ".repeat(found.group().length()));
        for (Matcher start = START.matcher(text); start.find(); ) {
            Place at = place(file, source, start);
            if (rfcs.containsKey(at.rfc)) {
                list(at, text, start.end(), start.group(2).equals("sections"));
            }
        }
        for (Matcher bare = BARE.matcher(text); bare.find(); ) {
            Place at = place(file, source, bare);
            if (rfcs.containsKey(at.rfc)) {
                fault(at, "the word section is missing");
            }
        }
    }

    private static Place place(String file, String source, Matcher found) {
        int line = 1
                + (int) source.chars()
                        .limit(found.start())
                        .filter(c -> c == '\n')
                        .count();
        return new Place(file, line, Integer.parseInt(found.group(1)));
    }

    private record Place(String file, int line, int rfc) {}

    /** Reads the section numbers that follow; goes on behind the first one only in the plural. */
    private void list(Place at, String text, int from, boolean plural) {
        Matcher item = ITEM.matcher(text).region(from, text.length());
        if (!item.lookingAt()) {
            fault(at, "no section number follows");
            return;
        }
        String previous = cite(at, item, text);
        Matcher more = MORE.matcher(text).region(item.end(), text.length());
        if (!plural && SECOND.matcher(text).region(item.end(), text.length()).lookingAt()) {
            fault(at, "two sections are named in the singular");
        }
        while (plural && more.lookingAt()) {
            item.region(more.end(), text.length());
            if (!item.lookingAt()) {
                return;
            }
            if (more.group(1).endsWith("to")) {
                between(at, previous, item.group(1));
            }
            previous = cite(at, item, text);
            more.region(item.end(), text.length());
        }
    }

    /** Cites one section, or those of its MUSTs that stand in brackets; returns the section. */
    private String cite(Place at, Matcher item, String text) {
        String section = item.group(1);
        String brackets = Objects.requireNonNullElse(item.group(2), "");
        boolean within =
                PLACE_WITHIN.matcher(text).region(item.end(), text.length()).lookingAt();
        if (!rfc(at).sections().contains(section)) {
            fault(at, "there is no section " + section);
        } else if (!brackets.isEmpty() && !NO_MUST.matcher(brackets).matches()) {
            ordinals(at, section, brackets);
        } else if (brackets.isEmpty() && !within) {
            citations.add(new Citation(at.file, at.line, at.rfc, section, Citation.WHOLE_SECTION));
        }
        return section;
    }

    private void ordinals(Place at, String section, String brackets) {
        int count = rfc(at).musts(section).size();
        for (String item : brackets.split(",", -1)) {
            String ordinal = item.strip();
            if (ordinal.matches("[1-9]\\d{0,3}") && Integer.parseInt(ordinal) <= count) {
                citations.add(new Citation(at.file, at.line, at.rfc, section, Integer.parseInt(ordinal)));
            } else {
                fault(at, "section " + section + " has " + count + " MUSTs and no [" + ordinal + "]");
            }
        }
    }

    /** Cites what lies between two sections of one parent. */
    private void between(Place at, String first, String last) {
        List<String> siblings = rfc(at).sections().stream()
                .filter(section -> parent(section).equals(parent(first)))
                .toList();
        int from = siblings.indexOf(first);
        int to = siblings.indexOf(last);
        if (from < 0 || to < from) {
            fault(at, "sections " + first + " to " + last + " are no range");
            return;
        }
        for (String section : siblings.subList(from + 1, Math.max(from + 1, to))) {
            citations.add(new Citation(at.file, at.line, at.rfc, section, Citation.WHOLE_SECTION));
        }
    }

    private static String parent(String section) {
        return section.substring(0, Math.max(0, section.lastIndexOf('.')));
    }

    private Rfc rfc(Place at) {
        return Objects.requireNonNull(rfcs.get(at.rfc));
    }

    private void fault(Place at, String what) {
        faults.add(at.file + ":" + at.line + ": cites RFC " + at.rfc + ", but " + what);
    }
}
