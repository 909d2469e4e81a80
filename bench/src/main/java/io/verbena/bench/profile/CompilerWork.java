package io.verbena.bench.profile;

import io.verbena.base.Times;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * What the compilers of the JVM did during a recording with the event {@code jdk.Compilation} and a threshold of 0 ms:
 * methods, the bytecodes of what was inlined into them, bytes of machine code and milliseconds by level, and the
 * longest compilations. Run: {@code bench/launch io.verbena.bench.profile.CompilerWork RECORDING.jfr [BEGINNING]},
 * where only methods of classes whose names have this beginning are counted, {@code io.verbena.} by default.
 */
public final class CompilerWork {

    private static final int LONGEST = 8;

    private record Compilation(String method, int level, int inlinedBytes, int codeBytes, long timeNs) {}

    private CompilerWork() {}

    public static void main(String[] arguments) throws IOException {
        String beginning = arguments.length > 1 ? arguments[1] : "io.verbena.";
        List<Compilation> all = compilations(Path.of(arguments[0]), beginning);
        TreeMap<Integer, List<Compilation>> byLevel = new TreeMap<>();
        all.forEach(it ->
                byLevel.computeIfAbsent(it.level(), _ -> new ArrayList<>()).add(it));
        byLevel.forEach((level, those) -> System.out.printf(
                Locale.ROOT,
                "level %d: %5d methods, %8d bytecodes inlined, %8d bytes of code, %7.0f ms%n",
                level,
                those.size(),
                those.stream().mapToInt(Compilation::inlinedBytes).sum(),
                those.stream().mapToInt(Compilation::codeBytes).sum(),
                those.stream().mapToDouble(it -> it.timeNs() / 1e6).sum()));
        all.stream()
                .sorted(Comparator.comparing(Compilation::timeNs).reversed())
                .limit(LONGEST)
                .forEach(it -> System.out.printf(
                        Locale.ROOT,
                        "%7.0f ms, level %d, %6d bytecodes: %s%n",
                        it.timeNs() / 1e6,
                        it.level(),
                        it.inlinedBytes(),
                        it.method()));
    }

    private static List<Compilation> compilations(Path recording, String beginning) throws IOException {
        List<Compilation> found = new ArrayList<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (!event.getEventType().getName().equals("jdk.Compilation")) {
                    continue;
                }
                RecordedMethod method = event.getValue("method");
                String type = method == null ? "" : method.getType().getName();
                if (method != null && type.startsWith(beginning)) {
                    found.add(new Compilation(
                            type + "." + method.getName(),
                            event.getShort("compileLevel"),
                            (int) event.getLong("inlinedBytes"),
                            (int) event.getLong("codeSize"),
                            Times.nanos(event.getDuration())));
                }
            }
        }
        return found;
    }
}
