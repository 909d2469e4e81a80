package io.verbena.bench.profile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StacksTest {

    private static final long LIMIT_NS = 20_000_000_000L;

    @SuppressWarnings("UnusedVariable") // the compiler must not leave out the work
    private static double sink;

    @Test
    void recording_ofABusyThread_showsItsMethod(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("busy.jfr");
        List<String> seen = new ArrayList<>();
        long beginNs = System.nanoTime();
        while (seen.isEmpty() && System.nanoTime() - beginNs < LIMIT_NS) {
            try (Recording recording = new Recording()) {
                recording.enable(Stacks.IN_JAVA).withPeriod(Duration.ofMillis(10));
                recording.start();
                burn();
                recording.dump(file);
            }
            Stacks.read(file).forEachStack((stack, samples) -> {
                if (stack.stream().anyMatch(frame -> frame.endsWith("StacksTest.burn"))) {
                    seen.add(String.join(";", stack));
                }
            });
        }
        assertTrue(!seen.isEmpty(), "no sample of the busy method within 20 s");
    }

    private static void burn() {
        for (int i = 1; i < 30_000_000; i++) {
            sink += Math.sin(i);
        }
    }
}
