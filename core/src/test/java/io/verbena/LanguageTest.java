package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Comments, strings, scripts and documents are plain technical English (see CONTRIBUTING.md). Phrases that read like translated
 * text, and references to documents that readers do not have, are rejected with a replacement. The list is short on
 * purpose: it prevents the return of phrases that were removed, and does not judge style. The same holds for words of
 * identifiers.
 */
@Tag("sources")
class LanguageTest {

    /** A phrase, as a regular expression for running text, and its replacement. */
    private static final Map<Pattern, String> REJECTED = new LinkedHashMap<>();

    static {
        reject("\\bwho waits\\b", "waiting requests, the waiting thread");
        reject("\\b(is|are|was|were|be|been) told\\b", "is notified, is reported");
        reject("\\btold (of|only|once|at once|about)\\b", "notified, reported");
        reject(
                "\\b(nobody(?!:[x/])|somebody|anybody|whoever)\\b",
                "the component: no thread, another thread, the caller");
        reject("\\bconnection (stands|does not stand)\\b", "the connection is (not) established");
        reject("\\bso many\\b", "this many, N");
        reject("\\bfor ever\\b", "indefinitely");
        reject("\\bit is looked\\b", "the subject of the sentence: the engine checks");
        reject("\\bin good order\\b", "gracefully");
        reject("\\blived with\\b", "unacceptable");
        reject("\\bbytes do not do\\b", "out of range");
        reject("\\b(says|said|say) no\\b", "rejects");
        reject(
                "\\b(CQ|handler|ring|array|thread|engine|event|call|object|domain) a (processor|connection|message"
                        + "|segment|process|queue pair|side)\\b",
                "one … per …");
        reject("\\bpeer's word\\b", "private data of the peer");
        reject("\\bseed's Fig|\\b(memory|notification|closing|fabric) seed\\b", "the subject of the document");
        reject("(?-i:\\bDESIGN\\b)", "the rule itself, or ARCHITECTURE.md");
        reject("\\(\\d{3}, \\d{3}\\)|\\bsteps \\d{3} ", "the meaning of the reference numerals");
    }

    private static void reject(String phrase, String replacement) {
        REJECTED.put(Pattern.compile(phrase.replace(" ", " +"), Pattern.CASE_INSENSITIVE), replacement);
    }

    private static final Pattern TOKEN = Pattern.compile(
            "(?=[/\"'])(?://[^\n]*+|/\\*[^*]*+(?:\\*(?!/)[^*]*+)*+\\*/"
                    + "|\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:\\\\.|[^'\\\\\n])++')",
            Pattern.DOTALL);
    private static final Pattern LINE_START = Pattern.compile("\n[ \t]*(\\*(?!/)|//|#)?");
    private static final Path ROOT = Modules.ROOT;

    /**
     * A word of an identifier that says who is addressed and not what the thing is. HandMade means "by hand".
     */
    private static final Pattern VAGUE_WORD = Pattern.compile("(?<!\\w)(?:(?:told|whom|mine|made)(?![a-z])|how(?!\\w))"
            + "|(?:Told|Whom|Mine|(?<![Hh]and)Made)(?![a-z])");

    private static final Pattern IDENTIFIER = Pattern.compile("\\w+");

    @Test
    void commentsStringsAndDocuments_arePlainEnglish() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : texts()) {
            String name = ROOT.relativize(file).toString().replace('\\', '/');
            if (!name.endsWith("LanguageTest.java")) {
                check(name, Files.readString(file), found::add);
            }
        }
        assertTrue(found.isEmpty(), () -> found.size() + " phrases to rewrite:\n" + String.join("\n", found));
    }

    @Test
    void rejectedPhrases_areFoundInCommentsAndStrings_notInCode() {
        List<String> found = new ArrayList<>();
        String source =
                "int nobody = 1; // nobody reads\n/** Told\n * once. */" + " char c = '\"'; String s = \"for ever\";\n";
        check("A.java", source, found::add);
        List<String> places = found.stream()
                .map(each -> each.substring(0, each.indexOf(": write ")))
                .sorted()
                .toList();
        assertEquals(List.of("A.java:1: 'nobody'", "A.java:2: 'Told once'", "A.java:3: 'for ever'"), places);
    }

    @Test
    void identifiers_areNounsOfTheField() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : texts()) {
            if (file.toString().endsWith(".java")) {
                vagueNames(Files.readString(file))
                        .forEach(each -> found.add(ROOT.relativize(file) + ": '" + each
                                + "': write what it is: the type, the role, own or local, reported, listener, kind"));
            }
        }
        assertTrue(found.isEmpty(), () -> found.size() + " identifiers to rename:\n" + String.join("\n", found));
    }

    @Test
    void vagueNames_areFoundInCode_notInTexts() {
        String source = "int mine = 1; // made\nHandMade packet; /* told */ String how = \"whom\";\n"
                + "void it_isToldOnce() { queueMade(); madeUrgent(); mined(); showHow(); handMade = new HandMadePath(); }";
        assertEquals(List.of("mine", "how", "it_isToldOnce", "queueMade", "madeUrgent"), vagueNames(source));
    }

    private static List<String> vagueNames(String source) {
        String code = TOKEN.matcher(source).replaceAll(" ");
        if (!VAGUE_WORD.matcher(code).find()) {
            return List.of();
        }
        return IDENTIFIER
                .matcher(code)
                .results()
                .map(MatchResult::group)
                .filter(VAGUE_WORD.asPredicate())
                .toList();
    }

    private static void check(String name, String content, Consumer<String> finding) {
        boolean quoted = name.endsWith(".java") || name.endsWith(".js");
        String prose = quoted ? commentsAndStrings(content) : content;
        // Line breaks and comment markers count as spaces, so that phrases are found across lines.
        String text = LINE_START
                .matcher(prose)
                .replaceAll(found -> " ".repeat(found.group().length()));
        REJECTED.forEach((phrase, replacement) -> {
            Matcher matcher = phrase.matcher(text);
            while (matcher.find()) {
                long line = 1
                        + prose.substring(0, matcher.start())
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
                String found = matcher.group().replaceAll(" +", " ");
                finding.accept(name + ":" + line + ": '" + found + "': write " + replacement);
            }
        });
    }

    /** The comments and strings of a source, each in its line. */
    private static String commentsAndStrings(String source) {
        Matcher matcher = TOKEN.matcher(source);
        StringBuilder out = new StringBuilder(source.length());
        int from = 0;
        while (matcher.find()) {
            out.append(lineBreaks(source, from, matcher.start()));
            if (source.charAt(matcher.start()) != '\'') {
                out.append(matcher.group()).append(' ');
            }
            from = matcher.end();
        }
        return out.append(lineBreaks(source, from, source.length())).toString();
    }

    private static String lineBreaks(String source, int from, int to) {
        long count = source.substring(from, to).chars().filter(c -> c == '\n').count();
        return "\n".repeat((int) count);
    }

    private static List<Path> texts() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String module : Modules.all()) {
            Path sources = ROOT.resolve(module);
            if (Files.isDirectory(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(file -> file.toString().endsWith(".java") || file.endsWith("README.md"))
                            .filter(file -> !Modules.built(file))
                            .forEach(all::add);
                }
            }
        }
        addScripts(all);
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("docs/rfc"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(all::add);
            }
        }
        all.sort(null);
        return all;
    }

    /** The scripts of the project, and those of the page. */
    private static void addScripts(List<Path> to) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)
                    .filter(file ->
                            !Modules.built(file) && !ROOT.relativize(file).startsWith(".git"))::iterator) {
                String name = file.getFileName().toString();
                boolean plain = !name.contains(".") && !name.equals("mvnw");
                if (name.endsWith(".js") || name.endsWith(".sh") || plain && script(file)) {
                    to.add(file);
                }
            }
        }
    }

    private static boolean script(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(2), new byte[] {'#', '!'});
        }
    }
}
