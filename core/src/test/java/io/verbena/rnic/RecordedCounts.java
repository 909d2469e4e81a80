package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.rnic.Exploration.Counts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The states, steps and ends that an exploration has found, a line per scenario. A change of structure leaves them as they are. A change of
 * behaviour, or of what a digest covers, records them anew with {@code -Dverbena.record=true}, and its commit says why they differ.
 */
final class RecordedCounts {

    private static final Path FILE = Path.of("src/test/resources/explored/iwarp.txt");
    private static final boolean RECORD = Boolean.getBoolean("verbena.record");

    private RecordedCounts() {}

    static void compare(Counts counts) {
        String name = counts.name() + ": ";
        String found = String.format(
                Locale.ROOT, "%s%d states, %d steps, %d ends", name, counts.states(), counts.edges(), counts.ends());
        try {
            if (RECORD) {
                Stream<String> others = Files.readAllLines(FILE).stream().filter(line -> !line.startsWith(name));
                Files.write(
                        FILE, Stream.concat(others, Stream.of(found)).sorted().toList());
            }
            List<String> recorded = Files.readAllLines(FILE).stream()
                    .filter(line -> line.startsWith(name))
                    .toList();
            assertEquals(List.of(found), recorded, "see RecordedCounts");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
