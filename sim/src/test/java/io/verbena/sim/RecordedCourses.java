package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.sim.model.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The courses that the first seeds take over a transport: a hash of what happens in each, and when, a line per seed. A change of structure
 * leaves them as they are. A change of behaviour records them anew with {@code -Dverbena.record=true}, and its commit says why they differ.
 */
final class RecordedCourses implements AutoCloseable {

    private static final Path DIRECTORY = Path.of("src/test/resources/courses");
    private static final boolean RECORD = Boolean.getBoolean("verbena.record");
    private static final int MOST = 1_000;

    private final Path file;
    private final List<String> recorded;
    private final List<String> taken = new ArrayList<>();

    /** The courses over a transport. */
    RecordedCourses(String transport) {
        file = DIRECTORY.resolve(transport + ".txt");
        try {
            recorded = RECORD ? List.of() : Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next seed, from 0 on, has taken its course. */
    void took(Simulation.Report report) {
        if (taken.size() < MOST) {
            assertEquals(taken.size(), report.seed());
            taken.add("%016x".formatted(report.hashes().course()));
        }
    }

    /** Compares the courses with those that were recorded. */
    @Override
    public void close() {
        try {
            if (RECORD) {
                Files.write(file, taken);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> expected = RECORD ? taken : recorded.subList(0, Math.min(recorded.size(), taken.size()));
        List<Integer> changed = new ArrayList<>();
        for (int seed = 0; seed < expected.size(); seed++) {
            if (!expected.get(seed).equals(taken.get(seed))) {
                changed.add(seed);
            }
        }
        assertEquals(List.of(), changed, "seeds with another course than " + file + " has; see RecordedCourses");
    }
}
